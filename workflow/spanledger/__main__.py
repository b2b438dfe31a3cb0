"""`python -m spanledger` is the command `spanledger`."""

from spanledger.cli import main

main()
