// The fields that a bucket can be created with and changed in.

import { Input, Select, Switch, TagInput } from '@cloudflare/kumo'
import type { ErrorAt } from '../../parts/use-submit.ts'
import { type BucketDraft, UNITS, type Unit } from './bucket-draft.ts'

export function BucketFields({
  draft,
  onChange,
  errorAt,
}: {
  draft: BucketDraft
  onChange: (changed: Partial<BucketDraft>) => void
  errorAt: ErrorAt
}) {
  const { isPublic, limit, unit, types } = draft
  // The server names the entry that is wrong.
  const typesError = errorAt('allowed_mime_types') ?? types.map((_, i) => errorAt(`allowed_mime_types.${i}`))
  return (
    <>
      <div className="flex flex-col gap-1">
        <Switch
          label="Public"
          checked={isPublic}
          onCheckedChange={checked => onChange({ isPublic: checked })}
        />
        <p className="text-sm text-kumo-subtle">
          {isPublic
            ? 'Whoever knows the name of a file reads it, without a key and past all policies.'
            : 'Files are read with a key, as policies let it, or by a signed link.'}
        </p>
      </div>
      <div className="grid items-start gap-4 sm:grid-cols-[minmax(0,1fr)_8rem]">
        <Input
          label="File size limit"
          description="Empty: as large as this deployment takes."
          inputMode="decimal"
          value={limit}
          onChange={event => onChange({ limit: event.target.value })}
          error={errorAt('file_size_limit')}
          className="w-full"
        />
        <Select
          label="Unit"
          className="w-full"
          value={unit}
          items={Object.fromEntries(Object.keys(UNITS).map(name => [name, name]))}
          onValueChange={chosen => onChange({ unit: (chosen ?? 'MiB') as Unit })}
        />
      </div>
      <TagInput
        label="Allowed types"
        description="Such as image/png or image/*: press Enter after each. Empty: all types."
        placeholder="image/*"
        spellCheck={false}
        autoCapitalize="off"
        value={types}
        onValueChange={typed => onChange({ types: wordsOf(typed) })}
        error={typeof typesError === 'string' ? typesError : typesError.find(Boolean)}
      />
    </>
  )
}

function wordsOf(typed: readonly string[]): string[] {
  return [...new Set(typed.flatMap(text => text.split(/[\s,]+/)))].filter(Boolean)
}
