"""One model computed by many: replicas on a Ray cluster, behind the contract that a single one keeps.

`cluster` reaches Ray and finds room there, `pool` keeps the workers, `model` is what asks them. Ray is imported late.
"""
