// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the transform dialect that upstream lacks. Each states what
// it matches or does; how that is decided is in the .cpp of its name.
#ifndef LH_COMPILER_TRANSFORM_TRANSFORMOPS
#define LH_COMPILER_TRANSFORM_TRANSFORMOPS

include "mlir/Dialect/Transform/IR/TransformAttrs.td"
include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// A parameter of i64, so that assembly need not say it.
def LH_Sizes : Type<
    CPred<"::llvm::isa<::mlir::transform::ParamType>($_self) && "
          "::llvm::cast<::mlir::transform::ParamType>($_self).getType()"
          ".isSignlessInteger(64)">,
    "!transform.param<i64>", "::mlir::transform::ParamType">,
  BuildableType<"::mlir::transform::ParamType::get("
                "$_builder.getContext(), $_builder.getI64Type())">;

// A string that is all of this form.
class LH_Form<string form, string meaning> : ConfinedAttr<StrAttr,
    [AttrConstraint<CPred<"::llvm::Regex(\"^" # form # "$\").match("
                          "::llvm::cast<::mlir::StringAttr>($_self))">,
                    meaning>]>;

// Roles of loops: batch, rows, columns, the sum.
def LH_Loops : LH_Form<"[bmnk]+", "of letters of bmnk">;
def LH_Operands : LH_Form<"[bmnk]+,[bmnk]+->[bmnk]+",
                          "of letters of bmnk, as \"mk,kn->mn\"">;
def LH_Bounds : ConfinedAttr<DenseI64ArrayAttr, [DenseArrayCount<4>]>;

def LH_MatchProductOp : TransformDialectOp<"lh.match.product",
    [MatchOpInterface, SingleOpMatcher, MemoryEffectsOpInterface]> {
  let summary = "Matches a product of matrices by its roles, types and sizes";
  let description = [{
    Matches a linalg op `C += A * B` on two inputs and one accumulator. Each of
    its loops has one of four roles:

      - `b`, batch: it indexes A, B and C;
      - `m`, rows: it indexes A and C;
      - `n`, columns: it indexes B and C;
      - `k`, the sum: it indexes A and B.

    `loops` lists the orders of loops to match, outermost first, a letter for
    each loop. `["mnk"]` is a product of matrices, `"bmnk"` one for each element
    of a batch, `"mmnk"` one whose right-hand matrix all elements of a batch
    share, `"nmnk"` one whose left-hand matrix they share, `"mknn"` a product with
    columns in panels.

    By default the body must be one multiplication and one addition of floats or
    integers, without conversions; with `any_body` it is not looked at. An op
    that has an empty loop is never matched. Optional attributes narrow the match:

      - `operands`: the order in which A, B and C are indexed, in roles, as
        `"mk,kn->mn"`;
      - `types`: the element types of which A, B and C all have one;
      - `bits`: the width of C's elements;
      - `at_least`, `at_most`: bounds of the innermost loop of each role, in the
        order b, m, n, k; -1 is no bound. An unknown size is within no bound, but
        with `unknown_is_large` it is at least anything;
      - `multiple_of`: in the same order, what the size of the innermost loop of each
        role is a multiple of; -1 for any;
      - `sizes`: the size of each loop, in their order; -1 for an unknown one. A
        batch of one, and a loop of one trip beside another of its role, is then
        no loop, also for `loops`;
      - `element_types`: those of A, B and C;
      - `tiles`, `least_share`: of what tiles of these sizes hold (in the same order,
        -1 for any), the product is at least so many percent;
      - `right_varies`: B is not computed from weights and constants alone;
      - `right_known`: it is;
      - `right_bytes`: B is at most so large, and its size is known.

    With `windows` it matches convolutions instead, whose A is read in windows
    that overlap: rows of the image are `m`, filters `n`, a window's rows,
    columns and channels `k`, groups of channels `b`. Sizes of the sum are given
    in the order in which the window comes first, whatever the order of loops.
    `steps` are the strides and dilations of such a match.

    #### Return modes

    Yields the sizes of the loops of each role; as in `match.structured.dim`, an
    unknown size is negative. A role that no loop has yields no sizes. Fails
    silenceably where the op does not match.
  }];
  let arguments = (ins TransformHandleTypeInterface:$candidate,
                       ConfinedAttr<TypedArrayAttrBase<LH_Loops,
                           "array of a letter of bmnk for each loop">,
                           [ArrayMinCount<1>]>:$loops,
                       OptionalAttr<LH_Operands>:$operands,
                       OptionalAttr<TypeArrayAttr>:$types,
                       OptionalAttr<I64Attr>:$bits,
                       OptionalAttr<LH_Bounds>:$at_least,
                       OptionalAttr<LH_Bounds>:$at_most,
                       OptionalAttr<LH_Bounds>:$multiple_of,
                       UnitAttr:$any_body,
                       UnitAttr:$unknown_is_large,
                       OptionalAttr<DenseI64ArrayAttr>:$sizes,
                       OptionalAttr<TypeArrayAttr>:$element_types,
                       OptionalAttr<DenseI64ArrayAttr>:$steps,
                       UnitAttr:$right_varies,
                       UnitAttr:$right_known,
                       OptionalAttr<I64Attr>:$right_bytes,
                       UnitAttr:$windows,
                       OptionalAttr<LH_Bounds>:$tiles,
                       OptionalAttr<I64Attr>:$least_share);
  let results = (outs LH_Sizes:$batch, LH_Sizes:$rows, LH_Sizes:$columns,
                      LH_Sizes:$sum);
  let assemblyFormat =
      "$candidate `loops` $loops attr-dict `:` type($candidate)";
  let cppNamespace = "::lh";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration # [{
    ::mlir::Value getOperandHandle() { return getCandidate(); }
  }];
}

def LH_MatchChoiceOp : TransformDialectOp<"lh.match.choice",
    [MatchOpInterface, SingleOpMatcher, MemoryEffectsOpInterface]> {
  let summary = "Matches an op by the strategy that is chosen for it";
  let description = [{
    Matches an op whose `lh.choice`, a `#dlti.map`, has one of `strategies` under
    "strategy"; any choice where the list is empty. "" stands for an op without a
    choice. Yields the choice, or with `key` what it has under that name. Where it
    has nothing there, or there is no choice, that is the value after `or`, or
    no value.

    ```mlir
    %rows = transform.lh.match.choice %op ["tile"] key "rows" or %default
        : (!transform.any_op, !transform.param<i64>) -> !transform.param<i64>
    ```

    #### Return modes

    Fails silenceably where the op has another choice.
  }];
  let arguments = (ins TransformHandleTypeInterface:$candidate,
                       StrArrayAttr:$strategies,
                       OptionalAttr<StrAttr>:$key,
                       Optional<TransformParamTypeInterface>:$otherwise);
  let results = (outs TransformParamTypeInterface:$value);
  let assemblyFormat = [{
    $candidate $strategies (`key` $key^)? (`or` $otherwise^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let cppNamespace = "::lh";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration # [{
    ::mlir::Value getOperandHandle() { return getCandidate(); }
  }];
}

def LH_MatchIdentityConsumerOp :
    TransformDialectOp<"lh.match.identity_consumer",
    [MatchOpInterface, SingleOpMatcher, MemoryEffectsOpInterface]> {
  let summary = "Matches an op whose result one elementwise op takes as it is";
  let description = [{
    Matches an op with one result and one user, and yields that user: a
    `linalg.generic` with one result and parallel loops only, which reads the
    result, and writes its own, at each point of its loops in their order. Such a
    user can be computed on each piece of the op while that is still in
    registers.

    A user is not matched that gathers (`tensor.extract` in its body), nor one
    that reads a second product: it can be computed along with one of them only.

    #### Return modes

    Fails silenceably where there is no such user.
  }];
  let arguments = (ins TransformHandleTypeInterface:$candidate);
  let results = (outs TransformHandleTypeInterface:$consumer);
  let assemblyFormat =
      "$candidate attr-dict `:` functional-type($candidate, results)";
  let cppNamespace = "::lh";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration # [{
    ::mlir::Value getOperandHandle() { return getCandidate(); }
  }];
}

def LH_MatchDenseOp : TransformDialectOp<"lh.match.dense",
    [MatchOpInterface, SingleOpMatcher, MemoryEffectsOpInterface]> {
  let summary = "Matches an op without sparse operands";
  let description = [{
    Matches an op none of whose operands is a sparse tensor. Sparse ones can't be
    cut into tiles: what is stored of a slice isn't known. Their loops are the
    sparsifier's.

    #### Return modes

    Fails silenceably where an operand is sparse.
  }];
  let arguments = (ins TransformHandleTypeInterface:$candidate);
  let results = (outs);
  let assemblyFormat = "$candidate attr-dict `:` type($candidate)";
  let cppNamespace = "::lh";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration # [{
    ::mlir::Value getOperandHandle() { return getCandidate(); }
  }];
}

def LH_MatchKernelOp : TransformDialectOp<"lh.match.kernel",
    [MatchOpInterface, SingleOpMatcher, MemoryEffectsOpInterface]> {
  let summary = "Matches an op whose value a function of a kernel computes";
  let description = [{
    Matches, where the module has functions of `kernel` with `lh.kernel_call`,

      - a product `mk,kn->mn` or `mk,nk->mn` of the kernel's types that begins at
        zeros, and whose sizes are multiples of what the kernel's calls must be;
      - an elementwise op that computes a pattern of the kernel's of such a
        product: `product-bias-relu` of the maximum of 0 and a sum with a number
        for each column added. ReLU keeps NaN: a maximum (`maximumf`), a
        selection by a comparison that NaN passes, or either of these with an
        infinite bound above. GELU is the one by `erf`.

    An op for which another kernel is chosen (`lh.choice`, "kernel") is none. The
    product may be cut already: in its place an op may then read a
    `linalg.unpack`.

    Yields the function on tensors (A, B, C and, for a bias, that), and a bias if
    there is one.

    #### Return modes

    Fails silenceably where no function computes the op's value.
  }];
  let arguments = (ins TransformHandleTypeInterface:$candidate,
                       StrAttr:$kernel);
  let results = (outs TransformHandleTypeInterface:$function,
                      TransformValueHandleTypeInterface:$bias);
  let assemblyFormat =
      "$candidate $kernel attr-dict `:` functional-type($candidate, results)";
  let cppNamespace = "::lh";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration # [{
    ::mlir::Value getOperandHandle() { return getCandidate(); }
  }];
}

def LH_IfOp : TransformDialectOp<"lh.if",
    [DeclareOpInterfaceMethods<TransformOpInterface>,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<RegionBranchOpInterface>,
     NoRegionArguments,
     SingleBlockImplicitTerminator<"::mlir::transform::YieldOp">]> {
  let summary = "Applies one of two regions, by a parameter or a handle";
  let description = [{
    Applies the first region if the condition holds, and the second one, if there
    is one, otherwise. A handle or a parameter of nothing does not hold. Other
    handles of operations or values hold; a parameter must be one integer, and
    holds if it is not 0.

    ```mlir
    %root, %between = transform.lh.if %epilogue : !transform.any_op
        -> !transform.any_op, !transform.any_op {
      transform.yield %epilogue, %unpack : !transform.any_op, !transform.any_op
    } else {
      transform.yield %unpack, %epilogue : !transform.any_op, !transform.any_op
    }
    ```

    #### Return modes

    Yields what the applied region yields. Consumes the handles from outside that
    ops in either region consume. Fails as the applied region fails, and
    definitely where a parameter is anything but one integer.
  }];
  let arguments = (ins Transform_AnyHandleOrParamType:$condition);
  let results = (outs Variadic<Transform_AnyHandleOrParamType>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, AnyRegion:$elseRegion);
  let assemblyFormat = [{
    $condition `:` type($condition) (`->` type($results)^)? $thenRegion
    (`else` $elseRegion^)? attr-dict
  }];
  let cppNamespace = "::lh";
  let hasVerifier = 1;
}

def LH_VectorizeLanesOp : TransformDialectOp<"lh.vectorize_lanes",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     TransformEachOpTrait, TransformOpInterface]> {
  let summary = "Computes a small op point by point, a vector for the innermost loop";
  let description = [{
    Replaces a `linalg.generic` of known sizes on tensors by its body on vectors.
    The loop of the result's last dimension becomes the lanes of a vector; all
    others are unrolled, sums outermost. At each point the lanes read numbers of
    one row of an operand: as they lie, or in any other order and any number of
    times, which is a `vector.shuffle`. So an op may read by quotients and
    remainders, as groups of channels do: `(l floordiv 4) * 4 + c`.

    #### Return modes

    Consumes the handle. Fails silenceably where a size is unknown, the body has
    an op without a vector form, or lanes read several rows; what has been made
    until then is dead.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
  let cppNamespace = "::lh";
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(
        ::mlir::transform::TransformRewriter &rewriter,
        ::mlir::linalg::GenericOp target,
        ::mlir::transform::ApplyToEachResultList &results,
        ::mlir::transform::TransformState &state);
  }];
}

def LH_FuseIntoOp : TransformDialectOp<"lh.fuse_into",
    [DeclareOpInterfaceMethods<TransformOpInterface>,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Computes ops in a loop, a slice where the loop reads one";
  let description = [{
    Does what `structured.fuse_into_containing_op` does to ops that the loop reads
    slices of, in time that doesn't depend on how large the function is. Each slice
    of an op's result that is taken in the loop, or of a tensor that the loop
    carries and that begins as that result, is computed there. Ops go in the order
    of the handle, so that what reads another's result comes first; one that has no
    user left is erased.

    ```mlir
    %tiles = transform.lh.fuse_into %unpack, %contraction into %loop
        : (!transform.any_op, !transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    ```

    #### Return modes

    Consumes the handles of the ops, not the loop's, and yields for each what is in
    the loop now; for a handle of nothing, nothing. Fails silenceably where an op
    can't be tiled or the loop takes no slice of it, and definitely where the loop
    is not one loop.
  }];
  let arguments = (ins Variadic<TransformHandleTypeInterface>:$producers,
                       TransformHandleTypeInterface:$loop);
  let results = (outs Variadic<TransformHandleTypeInterface>:$fused);
  let assemblyFormat = [{
    $producers `into` $loop attr-dict `:` functional-type(operands, results)
  }];
  let cppNamespace = "::lh";
  let hasVerifier = 1;
}

#endif // LH_COMPILER_TRANSFORM_TRANSFORMOPS
