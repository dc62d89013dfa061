"""Every error that otherminds raises on purpose.

    OthermindsError
    ├── InvalidEvent    an event that cannot happen at this point of a story
    ├── BadFile         a file whose content we cannot use: which line, which field, what is wrong
    │   └── MissingFile     one that is not there
    ├── UsageError      a request that makes no sense: unknown names, options that exclude each other
    ├── StoreError      the store is locked, newer than this program, or damaged
    │   └── NotStored       a store, or a run in it, that is not there
    └── ModelError      a model cannot do what was asked
        ├── Unable          it lacks what a study asks of it, and always will
        ├── WeightsError    the weights have the wrong digest, or cannot be fetched
        │   └── MissingWeights  a file of weights that is not there
        ├── OtherModel      another model answers than the one that was asked so far
        └── EndpointError   the server is down, refuses us, or sends what we cannot read

Each message is one sentence that says what is wrong, where, and what to do about it. The command line prints
that sentence and nothing else, so write it for the person who will read it.
"""


class OthermindsError(Exception):
    """Something a person can put right; its text says how."""


class InvalidEvent(OthermindsError):
    """This event cannot happen at this point of the story."""


class BadFile(OthermindsError):
    """A file that cannot be used, with the line and the field at fault."""


class Missing(OthermindsError):
    """A name that stands for nothing; the command line ends with the code of wrong usage."""


class MissingFile(BadFile, Missing):
    """A file that is not there."""


class UsageError(OthermindsError):
    """A request that cannot be carried out as it stands."""


class StoreError(OthermindsError):
    """The store cannot be read or written."""


class NotStored(StoreError, Missing):
    """A store that is not there, or a run that it does not have."""


class ModelError(OthermindsError):
    """A model cannot do what was asked of it."""


class Unable(ModelError):
    """A model that lacks what is asked of it: asking again is no use."""


class WeightsError(ModelError):
    """Weights that are missing, damaged or out of reach."""


class MissingWeights(WeightsError, Missing):
    """A file of weights that is not there."""


class OtherModel(ModelError):
    """Another model, or another version of it, answers than the one that was asked so far."""


class EndpointError(ModelError):
    """A server that is down, refuses us, or answers nonsense."""
