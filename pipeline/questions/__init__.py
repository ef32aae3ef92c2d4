"""What is asked of forecasts: runtime, losses, POP efficiency, future bottlenecks, what to measure next."""
