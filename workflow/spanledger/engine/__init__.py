"""What runs the stages: parameters, the plan, code closures, guards, provenance and the frame of the scripts."""
