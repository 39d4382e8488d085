"""A class graded on a Dask cluster: see docs/cluster.md. Only `client` and `worker` need Dask."""
