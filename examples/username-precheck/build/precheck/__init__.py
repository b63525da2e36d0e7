"""Builds what the user-name page needs, in Python: the filter, the list of names and their manifest.

One module a step, in the order in which they run: `source` fetches the pinned package, `owners` reads it, `normalise`
folds a name to a key, `build` makes the filter, `publish` writes the files that a web server may cache.
"""
