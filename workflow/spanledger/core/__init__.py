"""What every stage works with: records, spans, offsets, units, files and the errors of bad input."""
