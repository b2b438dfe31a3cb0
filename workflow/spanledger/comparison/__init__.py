"""Two arms compared over the same queries: what differs in their parameters, by how much, how sure, and query by query.

Nothing here reads a command line; `sides` reads the results of an arm, everything else is arithmetic on its lines.
"""
