"""The first causes for which a required fact is not in a context, in their order of precedence (see `scoring.loss`)."""

CAUSES = (
    "ineligible",
    "not_chunked",
    "not_matched",
    "below_depth",
    "not_retrieved",
    "demoted",
    "crowded_out",
    "does_not_fit",
    "outside_top_k",
    "not_chosen",
)
