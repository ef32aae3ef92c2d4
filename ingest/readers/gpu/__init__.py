"""Profilers of accelerators: Nsight Systems, Nsight Compute, rocprof, PyTorch's profiler, Chrome traces.

What ran on a device stands on locations of that device, calls of the host on CPU locations: a host that waits
and a device that works do so at the same time, and are never added.
"""
