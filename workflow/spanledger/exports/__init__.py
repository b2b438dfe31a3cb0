"""What leaves for other tools: TREC runs, BEIR folders, Parquet files and RO-Crates."""
