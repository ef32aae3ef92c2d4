"""`.cubex` profiles (CUBE 4: Score-P, Scalasca): `cubex_profile` puts together what the others read."""
