"""Which call does what: from method, path and media type to a read, a write or a refusal; holds no state."""

from dataclasses import dataclass

from simulator.calls import Call
from simulator.evicting import evict
from simulator.failures import Failure, bad_request
from simulator.jsons import Raw
from simulator.kinds import Target
from simulator.listing import Lister
from simulator.writing import PODS, DeleteOptions, Writer

_MERGE_PATCH = "application/merge-patch+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Carries out calls; the caller holds the server's lock."""

    lister: Lister
    writer: Writer

    def handle(self, call: Call, target: Target, content_type: str) -> tuple[int, Raw]:
        """Return the status and the body of the answer.

        Raises:
            Failure: what is wrong with the call.
        """
        if call.method not in {"GET", "DELETE"} and not isinstance(call.body, dict):
            raise bad_request(f"the body of {call.method} {call.path} is not a JSON object")
        if target.subresource in {"", "status"} and target.name is not None:
            return self._object(call, target, content_type)
        if target.name is None:
            return self._collection(call, target)
        return self._pod_verb(call, target)

    def _collection(self, call: Call, target: Target) -> tuple[int, Raw]:
        match call.method:
            case "GET":
                return 200, self.lister.page(target, dict(call.query))
            case "POST":
                dry_run = call.query.get("dryRun") == "All"
                return 201, self.writer.create(target.kind, call.body, namespace=target.namespace, dry_run=dry_run)
            case _:
                raise _not_allowed(call)

    def _object(self, call: Call, target: Target, content_type: str) -> tuple[int, Raw]:
        kind, key, sub = target.kind, _key(target), target.subresource
        dry_run = call.query.get("dryRun") == "All"
        match call.method:
            case "GET":
                return 200, self.writer.require(kind, key)
            case "PUT":
                return 200, self.writer.update(kind, key, call.body, subresource=sub, dry_run=dry_run)
            case "PATCH":
                _require_merge_patch(content_type)
                return 200, self.writer.patch(kind, key, call.body, subresource=sub, dry_run=dry_run)
            case "DELETE" if not sub:
                return 200, self.writer.delete(kind, key, DeleteOptions.of(call.body, dict(call.query)))
            case _:
                raise _not_allowed(call)

    def _pod_verb(self, call: Call, target: Target) -> tuple[int, Raw]:
        if call.method != "POST" or target.kind is not PODS:
            raise _not_allowed(call)
        match target.subresource:
            case "eviction":
                return 201, evict(self.writer, _key(target), call.body, dict(call.query))
            case "binding":
                self.writer.bind(_key(target), call.body["target"]["name"])
                return 201, {"kind": "Status", "apiVersion": "v1", "status": "Success", "code": 201}
            case _:
                raise _not_allowed(call)


def _key(target: Target) -> tuple[str, str]:
    return target.namespace or "", target.name or ""


def _not_allowed(call: Call) -> Failure:
    message = f"the server does not allow this method on the requested resource ({call.method} {call.path})"
    return Failure(405, "MethodNotAllowed", message)


def _require_merge_patch(content_type: str) -> None:
    if content_type != _MERGE_PATCH:
        message = f"the media type {content_type} is not supported here; supported: {_MERGE_PATCH}"
        raise Failure(415, "UnsupportedMediaType", message)
