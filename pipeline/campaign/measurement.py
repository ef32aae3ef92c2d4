"""What the measuring tools need: variables of the environment, and where they leave profiles.

Sources: Score-P user manual, appendix "Score-P Measurement Configuration"; TAU user's guide, "Environment
Variables"; Caliper, "ConfigManager", ``hatchet-region-profile``. OpenFOAM profiles if its controlDict says so
(``profiling { active true; }``).
"""

from pathlib import Path

from pipeline.campaign.description import Measurement, Tool

_ENVIRONMENT: dict[Tool, dict[str, str]] = {
    "score-p": {
        "SCOREP_ENABLE_PROFILING": "true",
        "SCOREP_ENABLE_TRACING": "false",
        "SCOREP_EXPERIMENT_DIRECTORY": "scorep",
    },
    "tau": {"TAU_PROFILE": "1", "PROFILEDIR": "."},
    "caliper": {"CALI_CONFIG": "hatchet-region-profile(output=profile.cali,output.format=cali)"},
}

_PROFILES: dict[Tool, tuple[str, ...]] = {
    "score-p": ("scorep/profile.cubex",),
    "openfoam": ("processor*/*/uniform/profiling", "[0-9]*/uniform/profiling"),
    "tau": ("profile.*.*.*", "*.ppk"),
    "caliper": ("*.cali",),
}


def environment(measurement: Measurement, filter_file: Path | None) -> dict[str, str]:
    """Return the variables to set for a run, perhaps with a filter; those that the user gives count."""
    filtering = {"SCOREP_FILTERING_FILE": str(filter_file)} if filter_file else {}
    return {**_ENVIRONMENT.get(measurement.tool, {}), **filtering, **measurement.environment}


def profile_patterns(measurement: Measurement) -> tuple[str, ...]:
    """Return patterns of the profiles, relative to the working directory; a run writes one of them at least.

    None if the application's own output is the measurement.
    """
    return _PROFILES.get(measurement.tool, ())


def accompanying(measurement: Measurement) -> tuple[str, ...]:
    """Return patterns of files that say more about the profiles if they are there."""
    return ("scorep/scorep.*",) if measurement.tool == "score-p" else ()
