// Light or dark: the system's, unless somebody chose. public/theme.js does the same before the first paint.

import { useSyncExternalStore } from 'react'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'theme'
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

function chosen(): Theme {
  try {
    const value = localStorage.getItem(KEY)
    return value === 'light' || value === 'dark' ? value : 'system'
  } catch {
    return 'system'
  }
}

function apply(): void {
  const theme = chosen()
  const isDark = theme === 'dark' || (theme === 'system' && system.matches)
  document.documentElement.dataset['mode'] = isDark ? 'dark' : 'light'
  for (const listener of listeners) listener()
}

system.addEventListener('change', apply)

/** Keeps the choice for the next visit; `system` forgets it. */
export function chooseTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // Storage is forbidden: the choice holds for this page at least.
    document.documentElement.dataset['mode'] = theme
    return
  }
  apply()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, chosen)
}
