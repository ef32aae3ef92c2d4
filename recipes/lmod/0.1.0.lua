-- Lmod's module file: copy it to MODULEPATH/callpath-pipeline/. It expects, built with the Python of the node,
--   python3 -m venv ROOT/0.1.0 && ROOT/0.1.0/bin/pip install 'callpath-pipeline[all]==0.1.0'
--   mkdir ROOT/0.1.0/command && ln -s ../bin/pipeline ROOT/0.1.0/command/
-- so that the command comes to PATH, but neither Python nor the packages of that environment.
help([[
callpath-pipeline turns a directory of call-path profiles into an instrumentation filter, scaling models with
intervals, future bottlenecks and a CI gate: pipeline run DIRECTORY
]])
whatis("Name: callpath-pipeline")
whatis("Version: " .. myModuleVersion())
whatis("Category: performance tools")
whatis("URL: https://example.org/callpath-pipeline")
whatis("Description: scaling models with intervals from call-path profiles")

local root = pathJoin(os.getenv("CALLPATH_PIPELINE_ROOT") or "/opt/callpath-pipeline", myModuleVersion())
prepend_path("PATH", pathJoin(root, "command"))
setenv("CALLPATH_PIPELINE_PYTHON", pathJoin(root, "bin", "python"))
