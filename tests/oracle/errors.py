"""One exception with the code that FORMAT.md and the other implementations use. No sentences: codes are the contract."""


class OracleError(Exception):
    def __init__(self, code: str, detail: str = ""):
        super().__init__(f"{code} {detail}".strip())
        self.code = code
