"""The shipped Cray X1E, and a loop on it."""

from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.expressions.symbolic_model import constant, symbol
from pipeline.projection.machines.machine_values import load_machine, machine_names
from pipeline.projection.vector_loops.vector_loop import VectorLoop, average_vector_length, machine_values
from tests.pipeline.projection.stored import no_models

X1E = load_machine("x1e")
NAMES = machine_names(X1E, "mach", no_models)
VALUES = machine_values(NAMES)
LOOP = VectorLoop(
    name="loop",
    score="11",
    spatial=0,
    temporal=2,
    vector_flops=constant(2) * symbol("n"),
    vector_loads=symbol("n"),
    scalar_loads=constant(1e6),
    vector_length=average_vector_length(symbol("n"), constant(64)),
)


def at(model, **inputs):
    return float(predict({"t": model}, inputs)["t"].value[0])
