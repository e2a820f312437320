"""Search: text analysis, the full-text index, vector sets, fusion and ranking."""

import os

# numpy's BLAS reads this when it is loaded. Its threads wait by spinning, which makes the small products of a query
# twenty times slower on a busy machine than one thread does them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
