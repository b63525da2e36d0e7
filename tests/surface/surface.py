"""What the installed Python package shows, as JSON: the module's members and each class's, special methods included."""

import json

import tepal
import tepal.redis

# Special methods that a class has without saying anything about itself.
NOISE = {
    "__annotations__",
    "__delattr__",
    "__doc__",
    "__ge__",
    "__getstate__",
    "__gt__",
    "__init__",
    "__le__",
    "__lt__",
    "__match_args__",
    "__module__",
    "__ne__",
    "__new__",
    "__replace__",
    "__setattr__",
    "__setstate__",
    "__slots__",
    "__static_attributes__",
    "__firstlineno__",
}


def members(cls):
    own = {name for name in vars(cls) if getattr(cls, name, None) is not None}
    special = {name for name in own if name.startswith("__") and "dataclass" not in name} - NOISE
    return sorted(special | {name for name in dir(cls) if not name.startswith("_")})


from tepal.explain import ExplainedBit, ExplainedLine

classes = [tepal.BloomFilter, tepal.ScalableBloomFilter, tepal.KeyHash, tepal.Explanation, ExplainedLine, ExplainedBit]
plain = {
    "LevelFacts": sorted(tepal.LevelFacts._fields),
    "Info": sorted(tepal.ScalableBloomFilter().info()),
    "Metrics": sorted(tepal.metrics()),
    "redis": sorted(tepal.redis.__all__),
}
print(json.dumps({"module": sorted(tepal.__all__)} | plain | {cls.__name__: members(cls) for cls in classes}))
