"""Layers that attack the process they train in: its pipes, its output, its modules, its stack."""

import json
import os
import signal
import sys
import threading

import torch
from bad import training
from good import Sum


class ClosesPipes(Sum):
    def forward(self, x):
        if training(x):
            os.closerange(3, 256)
        return super().forward(x)


class FloodsPipes(Sum):
    """Bytes that are not a message, to every file that is open."""

    def forward(self, x):
        for descriptor in range(3, 256) if training(x) else ():
            try:
                os.set_blocking(descriptor, False)
                os.write(descriptor, b"\xff" * 65_536)
            except OSError:
                continue
        return super().forward(x)


class StopsItself(Sum):
    def forward(self, x):
        if training(x):
            os.kill(os.getpid(), signal.SIGSTOP)
        return super().forward(x)


class Recurses(Sum):
    def forward(self, x):
        return self.forward(x) if training(x) else super().forward(x)


class ReplacesModules(Sum):
    """The module in which the worker writes its messages."""

    def forward(self, x):
        if training(x):
            json.dumps = lambda *_, **__: "{"
        return super().forward(x)


class ChangesType(Sum):
    def forward(self, x):
        if training(x):
            torch.set_default_dtype(torch.float64)
        return super().forward(x)


class SwitchesGradientsOff(Sum):
    def forward(self, x):
        if training(x):
            torch.set_grad_enabled(False)
        return super().forward(x)


class Shouts(Sum):
    """An exception of ten million letters."""

    def forward(self, x):
        if training(x):
            raise ValueError("a\n" * 5_000_000)
        return super().forward(x)


class ExitsFromAThread(Sum):
    def forward(self, x):
        if training(x):
            thread = threading.Thread(target=os._exit, args=(3,))
            thread.start()
            thread.join()
        return super().forward(x)


class ClosesItsOutput(Sum):
    """And raises, where its traceback would go."""

    def forward(self, x):
        if training(x):
            sys.stdout.close()
            sys.stderr.close()
            raise OSError("closed")
        return super().forward(x)
