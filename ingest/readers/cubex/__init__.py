"""Reader for `.cubex` profiles (CUBE 4: Score-P, Scalasca).

- container: the tar archive and its members
- anchor: anchor.xml by an XML parser; fixed_form reads its long sections faster
- stored_rows: the value types, which rows a metric stores, and the rows, raw or compressed, block by block

- cubex_values: reading a metric on demand; exclusive values of inclusive metrics are streamed
- cubex_profile: all of it put together as a `Profile`
"""
