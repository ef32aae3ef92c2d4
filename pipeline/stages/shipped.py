"""What is shipped to project: applications and machines."""

from pipeline.columns.shipped import Shipped
from pipeline.projection.applications.application_file import ApplicationFile, load_application
from pipeline.projection.expressions.shipped_files import shipped
from pipeline.projection.machines.machine_values import Machine, load_machine


def shipped_applications() -> tuple[ApplicationFile, ...]:
    """Return the applications that come with the package, by name."""
    return tuple(load_application(name) for name in shipped("application"))


def shipped_machines() -> tuple[Machine, ...]:
    """Return the machines that come with the package, by name."""
    return tuple(load_machine(name) for name in shipped("machine"))


def shipped_files() -> Shipped:
    """Return what is said of all of them."""
    return Shipped(machines=shipped_machines(), applications=shipped_applications())
