"""How long a program takes, how far it scales, what is lost, and how far all that can be trusted."""
