"""Writers of tables: CSV in long form, logs and reports of ReFrame, results of Ramble and JUBE."""

import json

POINTS = (2, 4, 8)


def seconds(kernel, p, repetition=1):
    """Time of a location; repetitions differ by a percent."""
    return {"solve": 8.0 / p, "io": 0.25}[kernel] * (1 + 0.01 * (repetition - 1))


def long_form(points=POINTS, repetitions=(1, 2), kernels=("solve", "io"), extra=lambda p: "", header=""):
    """A CSV table with one row per kernel and run; `extra` adds cells, `header` their columns."""
    lines = [f"p,repetition,kernel,seconds{header}"]
    lines += [
        f"{p},{r},{kernel},{seconds(kernel, p, r)!r}{extra(p)}"
        for p in points
        for r in repetitions
        for kernel in kernels
    ]
    return "\n".join(lines) + "\n"


def perflog(points=POINTS, environ="gnu"):
    """ReFrame's performance log: two times, one of them in ms, and a rate."""
    names = ["result", "job_completion_time", "environ", "job_completion_time_unix", "jobid", "name"]
    names += ["num_cpus_per_task", "num_tasks", "partition"]
    for variable in ("solve", "io", "rate"):
        names += [f"{variable}_{end}" for end in ("value", "unit", "ref", "lower_thres", "upper_thres")]
    lines = ["|".join([*names, "system"])]
    for number, p in enumerate(points):
        own = ["pass", f"2026-02-21T22:51:{number + 10}", environ, f"1708555876.{number}", str(65 + number)]
        cells = [*own, f"app %n={p}", "null", str(p), "compute"]
        cells += [repr(seconds("solve", p)), "s", "0", "None", "None"]
        cells += [repr(1e3 * seconds("io", p)), "ms", "0", "None", "None"]
        lines.append("|".join([*cells, "21.5", "GB/s", "0", "None", "None", "alps"]))
    failed = ["fail", *lines[1].split("|")[1:]]
    return "\n".join([*lines, "|".join(failed)]) + "\n"


def report(points=POINTS, version="4.2"):
    """ReFrame's JSON report, of data version 4 or, with `perfvars`, before it."""
    cases = []
    for number, p in enumerate(points):
        case = {
            "name": f"app %n={p}",
            "result": "pass",
            "system": "alps",
            "partition": "compute",
            "environ": "gnu",
            "num_tasks": p,
            "jobid": str(number),
            "time_run": 3.0 + 0.1 * number,
            "job_completion_time_unix": 1.7e9 + number,
            "check_params": {"problem": 32 * p},
            "job_nodelist": ["nid1"],
        }
        figures = {"solve": (seconds("solve", p), "s"), "rate": (5, "GB/s")}
        figures["io"] = (1e3 * seconds("io", p), "ms")
        if version.startswith("4"):
            case["perfvalues"] = {
                f"alps:compute:{name}": [value, 0, None, None, unit, "pass"]
                for name, (value, unit) in figures.items()
            }
        else:
            case["perfvars"] = [
                {"name": name, "reference": 0, "thres_lower": None, "unit": unit, "value": value}
                for name, (value, unit) in figures.items()
            ]
        cases.append(case)
    cases.append({**cases[0], "result": "fail"})
    content = {
        "session_info": {"data_version": version, "hostname": "login1", "version": "4.9.1"},
        "runs": [{"num_cases": len(cases), "run_index": 0, "testcases": cases}],
        "restored_cases": [],
    }
    return json.dumps(content, indent=2)


def ramble(points=POINTS, repeats=0):
    """Ramble's results; with repeats, each experiment is preceded by one that sums them up."""
    experiments = []
    for p in points:
        for repetition in range(0 if repeats else 1, max(repeats, 1) + 1):
            foms = [
                ("solve", seconds("solve", p, max(repetition, 1)), "s"),
                ("io", 1e3 * seconds("io", p, max(repetition, 1)), "ms"),
                ("rate", 7.5, "GB/s"),
            ]
            variables = {"n_ranks": str(p), "n_nodes": str(max(p // 4, 1)), "repeat_index": str(repetition)}
            experiments.append(
                {
                    "name": f"app.problem.test_{p}" + (f".{repetition}" if repetition and repeats else ""),
                    "EXPERIMENT_CHAIN": [],
                    "RAMBLE_STATUS": "SUCCESS",
                    "N_REPEATS": repeats if not repetition else 0,
                    "application_name": "app",
                    "RAMBLE_VARIABLES": {**variables, "experiment_run_dir": f"/w/{p}", "system": "ruby"},
                    "RAMBLE_RAW_VARIABLES": {},
                    "CONTEXTS": [
                        {
                            "name": "null",
                            "display_name": "null",
                            "foms": [
                                {
                                    "name": name,
                                    "value": repr(value) if repetition or not repeats else "",
                                    "units": unit,
                                    "origin": "app",
                                    "origin_type": "application",
                                }
                                for name, value, unit in foms
                            ],
                        }
                    ],
                }
            )
    experiments.append({"name": "app.problem.failed", "EXPERIMENT_CHAIN": [], "RAMBLE_STATUS": "FAILED"})
    return json.dumps({"experiments": experiments, "workspace_hash": "abc"}, indent=2)


def jube(points=POINTS):
    """JUBE's result table as CSV: one row per step, units behind the names."""
    lines = ["jube_wp_abs,tasks,system,solve[s],io[ms]"]
    lines += [f"/w/{p}/work,{p},jureca,{seconds('solve', p)!r},{1e3 * seconds('io', p)!r}" for p in points]
    return "\n".join(lines) + "\n"


SACCT = ("JobID", "JobName", "NNodes", "NCPUS", "NTasks", "State", "Elapsed", "MaxRSS", "ConsumedEnergy")


def sacct(points=POINTS, form="parsable", failed=(), columns=SACCT, elapsed=lambda p: f"{32 // p:02}:00:00"):
    """What sacct prints of jobs on p nodes with 8 tasks each: a row for the job, two for its steps."""
    rows = []
    for number, p in enumerate(points, start=100):
        state = "TIMEOUT" if p in failed else "COMPLETED"
        job = {"JobID": str(number), "JobName": "app", "NNodes": p, "NCPUS": 16 * p, "State": state}
        rows.append(job | {"Elapsed": elapsed(p), "ConsumedEnergy": f"{p}.50K"})
        rows.append(
            {**job, "JobID": f"{number}.batch", "NTasks": 1, "Elapsed": "00:00:01", "MaxRSS": "2048K"}
        )
        rows.append(
            {**job, "JobID": f"{number}.0", "NTasks": 8 * p, "Elapsed": "00:30:00", "MaxRSS": f"{4 / p}G"}
        )
    cells = [[str(row.get(name, "")) for name in columns] for row in rows]
    if form == "fixed":
        lines = [" ".join(f"{name:>16}" for name in columns), " ".join("-" * 16 for _ in columns)]
        return "\n".join(lines + [" ".join(f"{cell:>16}" for cell in row) for row in cells]) + "\n"
    between, end = {"parsable": ("|", ""), "ending": ("|", "|"), "commas": (",", "")}[form]
    return "".join(between.join(row) + end + "\n" for row in (list(columns), *cells))
