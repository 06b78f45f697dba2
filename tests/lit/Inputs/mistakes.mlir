// Schedules that spoil the module on purpose.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @spoil(%root: !transform.any_op {transform.readonly}) {
    %generics = transform.structured.match ops{["linalg.generic"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %generics "first" : !transform.any_op
    %functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %clean = transform.apply_registered_pass "canonicalize" to %functions
        : (!transform.any_op) -> !transform.any_op
    %module = transform.get_parent_op %clean {deduplicate, op_name = "builtin.module"}
        : (!transform.any_op) -> !transform.any_op
    %spoilt = transform.apply_registered_pass "lh-mutate"
        with options = { "operator" = "sign-flip" } to %module
        : (!transform.any_op) -> !transform.any_op
    %again = transform.structured.match ops{["linalg.generic"]} in %spoilt
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %again "last" : !transform.any_op
    transform.yield
  }
  transform.named_sequence @crash(%root: !transform.any_op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %module = transform.get_parent_op %functions {deduplicate, op_name = "builtin.module"}
        : (!transform.any_op) -> !transform.any_op
    %gone = transform.apply_registered_pass "lh-test-fault"
        with options = { "kind" = "crash" } to %module
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
