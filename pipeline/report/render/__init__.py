"""How texts, tables and curves are written: to terminals, as text formats."""
