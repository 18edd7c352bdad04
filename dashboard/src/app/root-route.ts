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

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Left out: the view is reached from another one. */
    navigation?: NavigationEntry
    /** Says why somebody who is no administrator cannot use the view at all. */
    adminsOnly?: boolean
  }
}

export const rootRoute = createRootRoute()
