"""Instruction forms that any code may have, and those that differ from given ones in width or precision.

`tools.port_tables` asks llvm-mca for all of them; those that do not exist are refused by its assembler.
"""

import re
from collections.abc import Iterable, Iterator

GATHERED = (
    "[x,zd]",
    "[x,zd:3]",
    "[x,zd:2]",
    "[x,zd:sxtw3]",
    "[x,zd:uxtw3]",
    "[x,zd:sxtw2]",
    "[x,zd:uxtw2]",
    "[z]",
)
"""Addresses of SVE's gathers and scatters."""

USUAL = {
    "x86-64": (
        *(
            f"mov{sign}{a}{b} {k},{b}"
            for sign in "sz"
            for a, b in ("bl", "bw", "bq", "wl", "wq")
            for k in ("m", a)
        ),
        *(
            f"{s}{w} {k}{w}"
            for s in ("sal", "shl", "shr", "sar", "rol", "ror")
            for w in "lq"
            for k in ("c,", "i,", "")
        ),
        *(f"{s}{w} {k}" for s in ("sal", "shl", "shr", "sar") for w in "lq" for k in ("m", "i,m", "c,m")),
        *(
            f"{s}{w} {k}"
            for s in ("shlx", "shrx", "sarx", "bextr", "bzhi")
            for w in ("", "l", "q")
            for k in ((f"{w or 'l'},{w or 'l'},{w or 'l'}"), f"{w or 'l'},m,{w or 'l'}")
        ),
        *(
            f"{s}{w} {k},{w}"
            for s in ("popcnt", "lzcnt", "tzcnt", "bsf", "bsr", "blsr", "blsi", "blsmsk")
            for w in "lq"
            for k in ("m", w)
        ),
        *(f"bswap{w} {w}" for w in "lq"),
        *(f"bt{w} {k},{w}" for w in "lq" for k in ("i", w)),
        *(
            f"{s}{w} {k}"
            for s in ("div", "idiv", "mul", "imul", "neg", "not", "inc", "dec")
            for w in "lq"
            for k in ("m", w)
        ),
        *(f"{v}cvt{c} {k},{'x,' if v else ''}x" for v in ("", "v") for c in ("ss2sd", "sd2ss") for k in "mx"),
        *(
            f"{v}cvt{c} {k},{w}"
            for v in ("", "v")
            for c in ("tsd2si", "tss2si", "sd2si", "ss2si", "tsd2siq", "tss2siq", "tsd2sil", "tss2sil")
            for k in "mx"
            for w in "lq"
        ),
        *(f"vcvt{c} {k}" for c in ("ps2pd", "dq2pd") for k in ("x,x", "x,y", "m,y", "y,z", "m,z")),
        *(f"vcvt{c} {k}" for c in ("pd2ps", "pd2dq", "tpd2dq") for k in ("x,x", "y,x", "z,y")),
        *(
            f"vcvt{c} {k},{k}"
            for c in ("dq2ps", "tps2dq", "ps2dq", "qq2pd", "tpd2qq", "uqq2pd")
            for k in "xyz"
        ),
        *("cvtps2pd x,x", "cvtpd2ps x,x", "cvtdq2ps x,x", "cvttps2dq x,x"),
        *(f"round{t} i,{k},x" for t in ("sd", "ss", "pd", "ps") for k in "mx"),
        *(f"vround{t} i,{k},x,x" for t in ("sd", "ss") for k in "mx"),
        *(f"vround{t} i,{k},{r}" for t in ("pd", "ps") for r in "xy" for k in ("m", r)),
        *(f"vrndscale{t} i,{k},{k}" for t in ("pd", "ps") for k in "xyz"),
        *(f"vmaskmov{t} {k}" for t in ("pd", "ps") for r in "xy" for k in (f"m,{r},{r}", f"{r},{r},m")),
        *(f"vpmaskmov{t} {k}" for t in "dq" for r in "xy" for k in (f"m,{r},{r}", f"{r},{r},m")),
        *(
            f"{v}{i}{t} {k}"
            for v, t in (("vgather", "pd"), ("vgather", "ps"), ("vpgather", "d"), ("vpgather", "q"))
            for i in "dq"
            for k in ("x,gx,x", "y,gx,y", "y,gy,y", "x,gy,x", "gx,x", "gx,y", "gy,y", "gy,z", "gz,z", "gz,y")
        ),
        *(
            f"{v}{i}{t} {k}"
            for v, t in (("vscatter", "pd"), ("vscatter", "ps"), ("vpscatter", "d"), ("vpscatter", "q"))
            for i in "dq"
            for k in ("x,gx", "y,gx", "y,gy", "z,gy", "z,gz", "y,gz")
        ),
        *(f"vpconflict{t} {k},{k}" for t in "dq" for k in "xyz"),
        *(
            f"{s} {k}"
            for s in ("vcompresspd", "vcompressps", "vexpandpd", "vpcompressd")
            for k in ("z,z", "y,y", "z,m")
        ),
        *(
            "fldt m",
            "fldl m",
            "flds m",
            "fstpt m",
            "fstpl m",
            "fstps m",
            "fildl m",
            "fildq m",
            "fld1",
            "fldz",
            "fchs",
            "fabs",
            "fsqrt",
            "fprem",
            "sahf",
            "cltq",
            "cqto",
            "cltd",
            "cwtl",
            "leave",
            "cld",
        ),
    ),
    "aarch64": (
        *(
            f"{s} {w},{w},{w}"
            for s in ("sdiv", "udiv", "mul", "mneg", "lsl", "lsr", "asr", "ror")
            for w in "xw"
        ),
        *(
            f"f{s} {t},{t}"
            for s in ("abs", "neg", "sqrt", "rintm", "rintp", "rintz", "rinta", "rintn", "rintx")
            for t in ("d", "s", "v2d", "v4s")
        ),
        *(
            f"f{s} {t},{t},{t}"
            for s in ("add", "sub", "mul", "div", "max", "min", "maxnm", "minnm", "abd", "nmul", "addp")
            for t in ("d", "s", "v2d", "v4s")
        ),
        *(
            f"f{s} {t},p/m,{t},{t}"
            for s in (
                "add",
                "sub",
                "subr",
                "mul",
                "div",
                "divr",
                "max",
                "min",
                "maxnm",
                "minnm",
                "mla",
                "mls",
                "nmla",
                "nmls",
                "mad",
                "msb",
                "nmad",
                "nmsb",
            )
            for t in ("zd", "zs")
        ),
        *(
            f"f{s} {t},p/m,{t}"
            for s in ("sqrt", "abs", "neg", "rintm", "rintp", "rintz", "rintn")
            for t in ("zd", "zs")
        ),
        *(
            f"{s} {t},p/m,{t},{t}"
            for s in ("sdiv", "udiv", "mul", "smax", "smin", "lsl", "asr")
            for t in ("zd", "zs")
        ),
        *(f"fcvt{r}{s} {a},{b}" for r in "zmpna" for s in "su" for a in "xw" for b in "ds"),
        "fcvt d,s",
        "fcvt s,d",
        *(f"{s}d {k}" for s in ("ld1", "ldff1", "ldnt1") for k in ("zd,p/z,[x]", "{zd*1},p/z,[x]")),
        *(
            f"ld1{t} {b}zd{c},p/z,{a}"
            for t in ("d", "w", "sw")
            for b, c in (("", ""), ("{", "*1}"))
            for a in GATHERED
        ),
        *(
            f"st1{t} {b}zd{c},p,{a}"
            for t in ("d", "w")
            for b, c in (("", ""), ("{", "*1}"))
            for a in GATHERED
        ),
        *(f"ld{n}{t} {{{v}*{n}}},p/z,[x]" for n in (2, 3, 4) for v, t in (("zd", "d"), ("zs", "w"))),
        *(f"st{n}{t} {{{v}*{n}}},p,[x]" for n in (2, 3, 4) for v, t in (("zd", "d"), ("zs", "w"))),
        *(
            f"{m}{n} {{{v}*{n}}},[x]{i}"
            for m in ("ld", "st")
            for n in (2, 3, 4)
            for v in ("v2d", "v4s", "v8h", "v16b", "v2s")
            for i in ("", ",i")
        ),
        *(f"ld{n}r {{{v}*{n}}},[x]" for n in (1, 2, 3, 4) for v in ("v2d", "v4s")),
        *(f"{s}{k} x" for s in ("inc", "dec", "cnt") for k in "bhwd"),
        *(f"{s}{k} z{k}" for s in ("inc", "dec") for k in "hsd"),
        *(
            "incw zs",
            "decw zs",
            "fadda d,p,d,zd",
            "faddv d,p,zd",
            "faddv s,p,zs",
            "fccmpe d,d,i,c",
            "fccmp d,d,i,c",
        ),
    ),
}
"""Forms that any code may have, beside those of the assembly files."""


def related(isa: str, forms: Iterable[str]) -> Iterator[str]:
    """Yield forms that differ in width, precision or a memory operand; not all of them exist."""
    for form in forms:
        first = {form}
        for widen in X86_CHANGES if isa == "x86-64" else ARM_CHANGES:
            first |= {changed for one in first for changed in widen(one)}
        yield from first


COMPARISONS = ("eq", "neq", "lt", "nlt", "le", "nle", "gt", "ngt", "ge", "nge", "ord", "unord")


def x86_precision(form: str) -> Iterator[str]:
    """Yield the form in other precisions."""
    name, _, kinds = form.partition(" ")
    if match := re.fullmatch(r"(v?\w*?)([ps][sd])", name):
        yield from (f"{match[1]}{other} {kinds}" for other in ("pd", "ps", "sd", "ss"))
    if match := re.fullmatch(r"(v?p?cmpu?)(?:n?eq|n?lt|n?le|n?g[te]|ord|unord)(u?[a-z]{1,2})", name):
        yield from (f"{match[1]}{test}{match[2]} {kinds}" for test in COMPARISONS)
    if match := re.fullmatch(r"(v?p\w+?)([bwdq])", name):
        yield from (f"{match[1]}{other} {kinds}" for other in "bwdq")
    if match := re.fullmatch(r"(vf\w+?)(132|213|231)(\w\w)", name):
        yield from (f"{match[1]}{order}{match[3]} {kinds}" for order in ("132", "213", "231"))


def x86_width(form: str) -> Iterator[str]:
    """Yield the form with other registers, or with memory for its first register."""
    name, _, kinds = form.partition(" ")
    for a in "xyz":
        if re.search(rf"\b{a}\b", kinds):
            yield from (name + " " + re.sub(rf"\b{a}\b", b, kinds) for b in "xyz")
    if match := re.match(r"((?:i,)?)([xyzlq])(,.*)", kinds):
        yield f"{name} {match[1]}m{match[3]}"
    if re.match(r"(i,)?m,[xyz]", kinds):
        register = kinds.split(",")[-1]
        yield f"{name} {kinds.replace('m', register, 1)}"
    for a, b in (("l", "q"), ("q", "l"), ("l", "w"), ("l", "b")):
        if name.endswith(a) and re.fullmatch(rf"(0 )?([imc{a}],?)+", kinds):
            yield f"{name[:-1]}{b} {kinds.replace(a, b)}"
    if match := re.fullmatch(r"(j|set|cmov)(?!mp)([a-z]+?)([lq]?)", name):
        for code in ("e", "ne", "l", "le", "g", "ge", "a", "ae", "b", "be", "s", "ns", "p", "np"):
            yield f"{match[1]}{code}{match[3] if match[1] == 'cmov' else ''} {kinds}"


def arm_width(form: str) -> Iterator[str]:
    """Yield the form with other arrangements and widths."""
    name, _, kinds = form.partition(" ")
    for choices in (
        ("v2d", "v4s", "v2s", "v8h", "v16b"),
        ("zd", "zs", "zh", "zb"),
        ("d", "s"),
        ("x", "w"),
        ("q", "d", "s"),
    ):
        for a in choices:
            if re.search(rf"(?<![\w\[]){a}\b", kinds):
                yield from (name + " " + re.sub(rf"(?<![\w\[]){a}\b", b, kinds) for b in choices)
    if name.startswith(("ld", "st")):
        for a in ("[x]", "[x],i", "[x]!", "[x,x]"):
            yield from (
                f"{name} {kinds.replace(a, b)}"
                for b in ("[x]", "[x],i", "[x]!", "[x,x]")
                if kinds.endswith(a)
            )


X86_CHANGES = (x86_precision, x86_width)
ARM_CHANGES = (arm_width,)
