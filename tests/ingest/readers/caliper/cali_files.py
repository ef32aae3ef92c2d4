"""Tiny Caliper profiles, written record by record as Caliper writes them."""

# Nodes: an attribute is a chain of type (0 to 11 are known to every file), properties, and its name.
NESTED, VALUE, AT_NODES, GLOBAL = 276, 65, 76, 588
STRING, DOUBLE = 3, 5


class Cali:
    """Builds the text of a file record by record."""

    def __init__(self):
        self.lines = []
        self.ids = {}

    def node(self, attribute, data, parent):
        self.lines.append(
            f"__rec=node,id={len(self.lines) + 20},attr={attribute},data={data},parent={parent}"
        )
        return len(self.lines) + 19

    def attribute(self, name, kind, properties, unit=None):
        if name not in self.ids:
            above = self.node(10, properties, kind)
            if unit is not None:
                above = self.node(self.attribute("attribute.unit", STRING, 64), unit, above)
            self.ids[name] = self.node(8, name, above)
        return self.ids[name]

    def record(self, path, extra=(), beside=(), **values):
        """Add a record.

        Args:
            path: attributes and values of the nested annotations.
            extra: attributes and values that stand in the record.
            beside: those that stand at nodes of their own.
            values: as `extra`.
        """
        reference = ""
        for attribute, name in path:
            key = (reference, attribute, name)
            if key not in self.ids:
                above = reference or STRING
                self.ids[key] = self.node(self.attribute(attribute, STRING, NESTED), name, above)
            reference = self.ids[key]
        for name, value in beside:
            node = self.node(self.attribute(name, STRING, AT_NODES), value, STRING)
            reference = f"{reference}={node}" if reference else node
        pairs = [
            (self.attribute(name.replace("__", "#").replace("_dot_", "."), DOUBLE, VALUE), value)
            for name, value in values.items()
        ]
        pairs += [(self.attribute(name, DOUBLE, VALUE), value) for name, value in extra]
        ids, data = ("=".join(str(pair[i]) for pair in pairs) for i in (0, 1))
        self.lines.append(f"__rec=ctx,{f'ref={reference},' if reference else ''}attr={ids},data={data}")
        return self

    def globals(self, **values):
        ids = [(self.attribute(name, STRING, GLOBAL), value) for name, value in values.items()]
        references = [str(self.node(attribute, value, STRING)) for attribute, value in ids]
        self.lines.append(f"__rec=globals,ref={'='.join(references)}")
        return self

    def write(self, path):
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        return path


MAIN = (("function", "main"),)
LOOP = (*MAIN, ("loop", "cycle"))
SEND = (*LOOP, ("mpi.function", "MPI_Send"))


def exclusive(time=1.0):
    file = Cali().record((), extra=[("sum#time.duration", 0.5)])
    for path, seconds in ((MAIN, 1.0), (LOOP, 2.0), (SEND, 4.0)):
        file.record(path, extra=[("sum#time.duration", seconds * time), ("max#time.duration", 9)])
    return file


LAUNCH = (*MAIN, ("cupti.runtimeAPI", "cudaLaunchKernel"))
COPY = (*MAIN, ("cupti.runtimeAPI", "cudaMemcpy"))
HOST, DEVICE = "scale#sum#cupti.host.duration", "scale#cupti.activity.duration"


def on_devices():
    """Host, kernels and copies of two ranks, as CUPTI measures them."""
    file = Cali().globals(**{"mpi.world.size": "2"})
    for rank in (0, 1):
        by = ("mpi.rank", rank)
        for path, seconds in (((), 0.25), (MAIN, 4.0), (LAUNCH, 0.5), (COPY, 1.0)):
            file.record(path, extra=[(HOST, seconds), by])
        kernel = [("cupti.kernel.name", "axpy"), ("cupti.activity.kind", "kernel")]
        file.record(LAUNCH, extra=[(DEVICE, 2.0 + rank), by], beside=kernel)
        file.record((), extra=[(DEVICE, 0.125), by], beside=kernel)
        file.record(COPY, extra=[(DEVICE, 0.75), by], beside=[("cupti.activity.kind", "memcpy")])
    return file


OWN, WHOLE = "scale#sum#time.duration.ns", "inclusive#sum#time.duration"
STATISTICS = {  # exclusive and inclusive seconds: mean of the processes, least, largest
    MAIN: ((1, 0.5, 2), (7, 6, 8)),
    LOOP: ((4, 3, 5), (6, 5, 7)),
    SEND: ((2, 1, 3), (2, 1, 3)),
}


def report(processes):
    """Return a file as Spot writes it, without single processes."""
    file = Cali()
    for path, of_names in STATISTICS.items():
        extra = []
        for name, (mean, least, most) in zip((OWN, WHOLE), of_names, strict=True):
            found = {"min#": least, "max#": most, "avg#": mean, "sum#": mean * processes}
            extra += [(kind + name, value) for kind, value in {**found, "avg.count#": processes}.items()]
        file.record(path, extra=extra)
    return file.globals(**{"mpi.world.size": str(processes)})
