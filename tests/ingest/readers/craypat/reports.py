"""Small CrayPat reports, sampled and traced."""

from tests.ingest.readers.texts import text_of

HEAD = text_of("craypat_head.txt")
ROWS = text_of("craypat_rows.txt")
LINES = text_of("craypat_lines.txt")
TRACED = text_of("craypat_traced.txt")


def sampled(
    *, processes="1,024", threads="1", title="Table 1:  Profile by Function", of="Total", interval=True
):
    text = HEAD.format(processes=processes, threads=threads) + title + "\n" + ROWS + LINES.format(of=of)
    return text + ("Experiment:  samp_cs_time\n\nSampling interval:  10000 microsecs\n" if interval else "")


def traced():
    return HEAD.format(processes="4", threads="1") + TRACED


CRAYPAT = {
    "sampled": sampled(processes="4"),
    "traced": traced(),
    "counts": "output of the program\n" + sampled(processes="2", interval=False, of="Avg of PE values"),
}
