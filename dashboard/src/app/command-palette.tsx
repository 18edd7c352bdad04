// Ctrl or Cmd K: views, actions, records by name or id, and what to do with a token that was pasted.

import { CommandPalette as Palette } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useSession } from '../api/session.ts'
import { AdminsOnlyMark } from './admins-only.tsx'
import { PLACES } from './navigation.tsx'
import { ACTIONS, paletteRecordsQuery } from './palette-records.ts'
import { pastedTokenItems } from './pasted-token.ts'
import type { PaletteItem } from './root-route.ts'

interface PaletteGroup {
  label: string
  items: PaletteItem[]
}

const MOST_OF_A_GROUP = 8

function matching(items: readonly PaletteItem[], words: readonly string[]): PaletteItem[] {
  return items
    .filter(({ title, note = '', keywords = '' }) => {
      const text = `${title} ${note} ${keywords}`.toLowerCase()
      return words.every(word => text.includes(word))
    })
    .slice(0, MOST_OF_A_GROUP)
}

const VIEW_ITEMS: PaletteItem[] = PLACES.map(({ href, label, group, keywords, adminsOnly }) => ({
  id: `view ${href}`,
  title: label,
  note: group,
  keywords,
  href,
  adminsOnly,
}))

export function CommandPalette({
  isOpen,
  onOpenChange,
}: {
  isOpen: boolean
  onOpenChange: (open: boolean) => void
}) {
  const router = useRouter()
  const { is_admin: isAdmin } = useSession()
  const [text, setText] = useState('')
  const { data: records = [] } = useQuery({ ...paletteRecordsQuery(isAdmin), enabled: isOpen })

  const groups = useMemo((): PaletteGroup[] => {
    const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean)
    const all = [
      { label: 'Pasted text', items: pastedTokenItems(text.trim()) },
      { label: 'Views', items: words.length === 0 ? VIEW_ITEMS : matching(VIEW_ITEMS, words) },
      { label: 'Actions', items: matching(ACTIONS, words) },
      { label: 'Records', items: words.length === 0 ? [] : matching(records, words) },
    ]
    return all.filter(({ items }) => items.length > 0)
  }, [text, records])

  const open = (item: PaletteItem, newTab: boolean) => {
    onOpenChange(false)
    setText('')
    if (newTab && item.before === undefined) {
      window.open(item.href, '_blank', 'noopener')
      return
    }
    item.before?.()
    router.history.push(item.href)
  }

  return (
    <Palette.Root
      open={isOpen}
      onOpenChange={onOpenChange}
      items={groups}
      value={text}
      onValueChange={setText}
      itemToStringValue={group => group.label}
      getSelectableItems={all => all.flatMap(({ items }) => items)}
      onSelect={(item, { newTab }) => open(item, newTab)}
    >
      <Palette.Input placeholder="A view, a name, an id, or a token" />
      <Palette.List>
        <Palette.Results>
          {(group: PaletteGroup) => (
            <Palette.Group key={group.label} items={group.items}>
              <Palette.GroupLabel>{group.label}</Palette.GroupLabel>
              <Palette.Items>
                {(item: PaletteItem) => (
                  <Palette.Item key={item.id} value={item} onClick={() => open(item, false)}>
                    <span className="truncate">{item.title}</span>
                    <span className="ml-auto flex min-w-0 items-center gap-2 pl-4 text-kumo-subtle">
                      <span className="truncate">{item.note}</span>
                      <AdminsOnlyMark of={item} />
                    </span>
                  </Palette.Item>
                )}
              </Palette.Items>
            </Palette.Group>
          )}
        </Palette.Results>
        <Palette.Empty>No results</Palette.Empty>
      </Palette.List>
    </Palette.Root>
  )
}
