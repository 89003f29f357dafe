"""Ray without Ray: actors in this process, which can be lost at will."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any


class Lost(Exception):
    """The words of Ray for an actor that is gone."""


@dataclass(eq=False)
class Question:
    """A call that is made when its answer is asked for."""

    call: Any


@dataclass
class FakeRay:
    """Actors in this process. `lose`: after how many answers to `work` each loss comes; `unborn`: how many never start."""

    cores: float = 2.0
    gpus: float = 0.0
    lose: list[int] = field(default_factory=list)
    unborn: int = 0
    identity: dict[str, Any] = field(default_factory=dict)
    killed: list[Any] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    batches: list[int] = field(default_factory=list)
    exceptions: Any = field(default_factory=lambda: SimpleNamespace(RayError=Lost))

    def remote(self, **options: Any) -> Any:
        self.options = options
        return lambda kind: SimpleNamespace(remote=lambda *arguments: self._handle(kind(*arguments)))

    def _handle(self, actor: Any) -> Any:
        born = self.unborn <= 0
        self.unborn -= 1

        def identity() -> dict[str, Any]:
            if not born:
                raise Lost("no room\nand more")
            return actor.identity() | self.identity

        def work(orders: list[Any], seconds: float) -> Any:
            self.batches += [len(orders)] if orders else []
            if self.lose and self.lose[0] == 0:
                self.lose.pop(0)
                raise Lost("the node is gone")
            if self.lose:
                self.lose[0] -= 1
            return actor.work(orders, seconds)

        methods = {"identity": identity, "work": work, "stop": actor.stop}
        remote = {name: self._remote_method(call) for name, call in methods.items()}
        return SimpleNamespace(actor=actor, **remote)

    @staticmethod
    def _remote_method(call: Any) -> Any:
        return SimpleNamespace(remote=lambda *arguments: Question(lambda: call(*arguments)))

    def nodes(self) -> list[dict[str, Any]]:
        here = {"CPU": self.cores} | ({"GPU": self.gpus} if self.gpus else {})
        return [{"Alive": True, "Resources": here}, {"Alive": False, "Resources": {"CPU": 64.0, "GPU": 8.0}}]

    def wait(self, questions: list[Question], num_returns: int, timeout: float) -> Any:
        assert len(set(questions)) == len(questions) > 0
        return questions[:num_returns], questions[num_returns:]

    def get(self, question: Question) -> Any:
        return question.call()

    def kill(self, handle: Any) -> None:
        self.killed.append(handle)
        handle.actor.stop()

    def is_initialized(self) -> bool:
        return True
