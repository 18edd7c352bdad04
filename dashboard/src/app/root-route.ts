// The root of all addresses, and what a view says of itself in its `staticData`. Apart from the shell, which draws the
// navigation from the views: they import this.

import type { Icon } from '@phosphor-icons/react'
import { createRootRoute } from '@tanstack/react-router'

/** The groups of the sidebar, in its order. */
export const GROUPS = ['', 'OAuth2', 'Authorization', 'Database', 'Platform'] as const

/** An entry of the sidebar and of the command palette. */
export interface NavigationEntry {
  group: (typeof GROUPS)[number]
  label: string
  icon: Icon
  /** Other words that people look for. */
  keywords?: string
}

/** Something that the search finds. */
export interface PaletteItem {
  id: string
  title: string
  /** What it is, or more of it. */
  note?: string
  /** Other words that find it. */
  keywords?: string
  href: string
  /** Says that it leads to a view which only administrators can use. */
  adminsOnly?: boolean | undefined
  /** Done before the address is opened: what is handed over and must not stand in an address. */
  before?: () => void
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Left out: the view is reached from another one. */
    navigation?: NavigationEntry
    /** Says why somebody who is no administrator cannot use the view at all. */
    adminsOnly?: boolean
    /** What the search offers to do here: the address that begins it, by the words for it. */
    actions?: Readonly<Record<string, string>>
    /** Records that the search finds by name or id; read when it opens. */
    records?: () => Promise<PaletteItem[]>
  }
}

export const rootRoute = createRootRoute()
