"""The failure classes of a lost fact, in their order of precedence (see `scoring.failures`).

What is proven comes before what is inferred, and what happens earlier in the pipeline before what happens later.
"""

CLASSES = (
    "acl",
    "visibility",
    "version",
    "cut_table",
    "code_boundary",
    "cut_condition",
    "uncovered_text",
    "repeated_text",
    "lost_in_fusion",
    "missing_title",
    "vocabulary_mismatch",
    "mixed_topics",
    "top_k_too_small",
    "unclassified",
    "wrong_gold",
)

UNCLASSIFIED = "unclassified"  # no rule holds
SUSPICION = "wrong_gold"  # only a person can say so: a rule may suspect it, and it is never the primary class
