export const TABS = ['settings', 'tokens', 'credentials', 'danger'] as const
export type Tab = (typeof TABS)[number]

export const TAB_LABELS: Record<Tab, string> = {
  settings: 'Settings',
  tokens: 'Tokens',
  credentials: 'Credentials',
  danger: 'Danger',
}
