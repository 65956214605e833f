"""Numbers of pods by domain, only of domains that have any: a few entries whatever the cluster's size."""


class Counts(dict[int, int]):
    """What is in it is above 0."""

    __slots__ = ()

    def add(self, domain: int, by: int) -> None:
        """Add to a number, or take away; one that is 0 then is not kept."""
        if number := self.get(domain, 0) + by:
            self[domain] = number
        else:
            self.pop(domain, None)
