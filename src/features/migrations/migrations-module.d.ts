// build/migrations.mjs, as scripts/build-migrations.ts writes it.

declare module '*/build/migrations.mjs' {
  export const files: readonly import('./migration-file.ts').MigrationFile[]
  export const platformNames: readonly string[]
  export const readAt: string
}
