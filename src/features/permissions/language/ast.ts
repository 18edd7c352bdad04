// What a permission file says. The language is a small part of TypeScript's syntax, made by Ory for Keto.

export interface PermissionFile {
  /** No two of a name: of several classes with one, Keto uses the last. */
  readonly namespaces: readonly NamespaceDeclaration[]
}

/** Of relations and permits with the same name only the first is kept, which is the one that Keto finds. */
export interface NamespaceDeclaration {
  readonly name: string
  readonly relations: readonly RelationDeclaration[]
  readonly permits: readonly PermitDeclaration[]
}

export interface RelationDeclaration {
  readonly name: string
  readonly types: readonly SubjectType[]
}

/** `User` has a namespace alone; `SubjectSet<Organization, "admin">` has a relation too. */
export interface SubjectType {
  readonly namespace: string
  readonly relation?: string
}

export interface PermitDeclaration {
  readonly name: string
  readonly rewrite: Group
}

/**
 * Nested exactly as Keto nests it, since each level of groups costs a check one of its depth. `a || b && c` is read
 * from left to right without precedence. A long expression can so become a tree that is deep: walk it by a depth of
 * your own, or without recursion.
 */
export type Rewrite =
  | Group
  | { readonly kind: 'not'; readonly child: Rewrite }
  /** `this.related.x.includes(ctx.subject)` and `this.permits.x(ctx)` alike. */
  | { readonly kind: 'relation'; readonly relation: string }
  /** `this.related.x.traverse(p => p.permits.y(ctx))`: y of everything that x names. */
  | { readonly kind: 'traverse'; readonly relation: string; readonly computed: string }

/** Has no children only in `!()`, which denies nothing and so is always true. */
export interface Group {
  readonly kind: 'or' | 'and'
  readonly children: readonly Rewrite[]
}

export interface LanguageError {
  readonly message: string
  readonly start: Place
  readonly end: Place
}

/** The line counts from 1. The column is Keto's: of the character before, but 1 at the text's begin. */
export interface Place {
  readonly line: number
  readonly column: number
}
