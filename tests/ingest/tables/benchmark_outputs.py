"""Writers of what tools write that measure again and again: own names and values."""

import json

POINTS = (1, 2, 4)


def seconds(n, repetition=1):
    return n / 4 + repetition / 100


def hyperfine(name="n", version=1, programs=("./app",)):
    results = []
    for program in programs:
        for n in POINTS:
            result = {
                "command": f"{program} {n}",
                "mean": seconds(n, 1.5),
                "stddev": 0.1,
                "user": 9.0,
                "max": 9.0,
            }
            if version == 1:
                result |= {"times": [seconds(n), seconds(n, 2)], "exit_codes": [0, 0]}
            else:
                walls = [{"time_wall_clock": {"value": seconds(n, r), "unit": "second"}} for r in (1, 2)]
                result = {"command": result["command"], "measurements": walls}
            results.append(result | ({"parameters": {name: str(n)}} if name else {}))
    return json.dumps({"results": results}, indent=1)


def hyperfine_csv():
    lines = ["command,mean,stddev,median,user,system,min,max,parameter_n"]
    lines += [f"./app {n},{seconds(n)},0.1,{seconds(n)},9.0,0.1,0.1,9.0,{n}" for n in POINTS]
    return "\n".join(lines) + "\n"


def pytest_benchmark(data=True, parameters=True):
    found = [
        {
            "name": f"test_solve[{n}]",
            "params": {"n": n, "kind": "dense"} if parameters else None,
            "stats": {"mean": seconds(n), "max": 9.0, "rounds": 2}
            | ({"data": [seconds(n), seconds(n, 2)]} if data else {}),
        }
        for n in POINTS
    ]
    found.append({"name": "test_start", "params": None, "stats": {"mean": 1.0}})
    about = {
        "machine_info": {"node": "alps", "cpu": {"count": 8, "brand_raw": "AMD EPYC 9V74"}},
        "commit_info": {"id": "4f1c"},
    }
    return json.dumps(about | {"benchmarks": found}, indent=1)


def google(name=lambda n: f"BM_solve/{n}", aggregates="beside", version="v1.8.3"):
    found = []
    for n in POINTS:
        run = {"run_name": name(n), "time_unit": "us", "cpu_time": 9.0}
        for r in (1, 2) if aggregates != "only" else ():
            own = {"name": name(n), "run_type": "iteration", "real_time": 1e6 * seconds(n, r)}
            found.append(run | own)
        for kind, value in (("mean", seconds(n)), ("stddev", 0.1), ("cv", 0.1)) if aggregates else ():
            own = {"name": f"{name(n)}_{kind}", "run_type": "aggregate", "aggregate_name": kind}
            found.append(run | own | {"real_time": 1e6 * value})
    found.append({"name": "BM_solve_BigO", "run_name": "BM_solve", "aggregate_name": "BigO", "big_o": "N"})
    context = {"host_name": "alps", "num_cpus": 8, "mhz_per_cpu": 3000, "library_version": version}
    return json.dumps({"context": context, "benchmarks": found}, indent=1)


def google_csv():
    lines = ["2026-02-01T10:00:00+00:00", "Running ./bench", "Load Average: 1.0, 0.5, 0.2"]
    lines += ["name,iterations,real_time,cpu_time,time_unit,bytes_per_second,error_occurred"]
    for n in POINTS:
        lines += [f'"BM_solve/n:{n}/real_time",100,{1e3 * seconds(n, r)},9,ms,,' for r in (1, 2)]
        lines += [
            f'"BM_solve/n:{n}/real_time_{kind}",2,{1e3 * seconds(n)},9,ms,,' for kind in ("mean", "stddev")
        ]
    return "\n".join([*lines, '"BM_solve_BigO",,9,9,N,,']) + "\n"


def asv(folder=None):
    """Results of one commit; with a folder, beside them what asv says of its benchmarks."""
    values = [seconds(n) for n in POINTS]
    results = {
        "suite.Time.time_solve": [values, [[repr(n) for n in POINTS]], "v1"],
        "suite.Time.mem_solve": [[9, 9, 9], [[repr(n) for n in POINTS]], "v1"],
        "suite.time_start": [[1.0], [], "v1"],
        "suite.time_failed": [None, [["1"]], "v1"],
    }
    if folder:
        about = {"suite.Time.time_solve": {"param_names": ["n"], "unit": "seconds", "type": "time"}}
        (folder / "benchmarks.json").write_text(json.dumps(about | {"version": 2}))
    start = {"commit_hash": "4f1c2ab", "env_name": "py3.11", "params": {"machine": "alps"}, "version": 2}
    return json.dumps(start | {"result_columns": ["result", "params", "version"], "results": results})
