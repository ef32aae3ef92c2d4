"""The options of a filter as the filter stage takes them."""

from filters.options import Application, Budget, FilterRequest, Form, Instrumenter, Layout, Overrides
from ingest.errors import UsageError
from pipeline.config.options import FilterOptions


def filter_request(options: FilterOptions, growing: tuple[str, ...] = ()) -> FilterRequest:
    """Make a request from the options.

    Args:
        options: what the user gave.
        growing: patterns of regions to protect because their models grow.

    Raises:
        UsageError: options that exclude each other.
    """
    if options.applied is not None and options.max_overhead is None:
        raise UsageError("needs --max-overhead", where="--applied", hint="say how much measuring may cost")
    if options.to != "scorep" and options.merge is not None:
        raise UsageError("only Score-P's filters can be merged", where="--merge", hint="leave --to out")
    if options.event_cost is not None and options.calibrate is not None:
        raise UsageError("the event cost is given twice", where="--event-cost", hint="leave --calibrate out")
    applied = None if options.applied is None else Application(options.applied.replace("-", " "))
    return FilterRequest(
        rule=options if options.max_overhead is None else Budget(options.max_overhead, applied),
        overrides=Overrides((*options.protect, *growing), options.drop),
        layout=Layout(Form(options.form), options.abridge, options.whole_files),
        instrumenter=Instrumenter(options.to),
        merge=options.merge,
        event_cost=options.event_cost,
        baseline=options.baseline_time,
        reduced=options.calibrate,
    )
