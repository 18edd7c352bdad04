// What is around every view: the navigation, the search, who is signed in. Shows no view before there is a session.

import { Banner, Button, cn, Sidebar, SkeletonLine, Text } from '@cloudflare/kumo'
import { MagnifyingGlassIcon, WarningCircleIcon } from '@phosphor-icons/react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Outlet, useLocation, useMatches } from '@tanstack/react-router'
import { Suspense, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { ApiError, isUnreachable } from '../api/errors.ts'
import { sessionQuery } from '../api/session.ts'
import { CommandPalette } from './command-palette.tsx'
import { Navigation } from './navigation.tsx'
import { SessionEnded } from './session-ended.tsx'
import { Refused, SignIn } from './sign-in.tsx'
import { ViewPending } from './states.tsx'
import { UserMenu } from './user-menu.tsx'

export function Shell() {
  const { data, error, failureReason } = useQuery(sessionQuery)
  if (data !== undefined) return <SignedIn />
  if (error instanceof ApiError && error.code === 'session_required') return <SignIn />
  if (error !== null) return <Refused error={error} />
  return <Starting problem={failureReason} />
}

/** The page's own outline, until it is known who is there; where the server does not answer, what is tried. */
function Starting({ problem }: { problem: Error | null }) {
  return (
    <main className="mx-auto flex max-w-xl flex-col gap-4 p-8" aria-busy="true">
      {problem === null ? (
        <>
          <SkeletonLine className="h-6 w-40" />
          <SkeletonLine className="h-4 w-80" />
        </>
      ) : (
        <Banner
          variant="alert"
          icon={<WarningCircleIcon weight="fill" />}
          title={problem.message}
          description={`${problem instanceof ApiError ? (problem.hint ?? '') : ''} Retrying automatically.`}
        />
      )}
    </main>
  )
}

function SignedIn() {
  const [isSearching, setSearching] = useState(false)
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setSearching(true)
    }
    addEventListener('keydown', open)
    return () => removeEventListener('keydown', open)
  }, [])
  return (
    <Sidebar.Provider collapsible="icon" className="h-full min-h-0!">
      <a
        href="#content"
        className={cn(
          'sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50',
          'focus:rounded-md focus:bg-kumo-base focus:px-3 focus:py-2 focus:ring',
        )}
      >
        Skip to the content
      </a>
      <Navigation />
      <div className="flex h-full min-w-0 flex-1 flex-col">
        <header className="flex h-14 shrink-0 items-center gap-2 border-b border-kumo-hairline px-3 md:px-6">
          <Sidebar.Trigger className="md:hidden" />
          <Button
            variant="secondary"
            icon={<MagnifyingGlassIcon />}
            onClick={() => setSearching(true)}
            aria-keyshortcuts="Control+K Meta+K"
            className="min-w-0 justify-start md:w-72"
          >
            <span className="truncate text-kumo-subtle">Search or jump to</span>
            <kbd className="ml-auto hidden code-text text-xs text-kumo-subtle md:inline">{SHORTCUT}</kbd>
          </Button>
          <ServerState />
          <div className="ml-auto">
            <UserMenu />
          </div>
        </header>
        <Content />
      </div>
      <CommandPalette isOpen={isSearching} onOpenChange={setSearching} />
      <SessionEnded />
    </Sidebar.Provider>
  )
}

const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'

/** A new view starts at its top, has the focus, and its title is said. */
function Content() {
  const { pathname } = useLocation()
  const ref = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is what it waits for
  useEffect(() => {
    if (isFirst.current) isFirst.current = false
    else ref.current?.focus()
    ref.current?.scrollTo({ top: 0 })
  }, [pathname])
  return (
    <main
      id="content"
      ref={ref}
      tabIndex={-1}
      className="min-h-0 flex-1 overflow-y-auto px-4 py-6 outline-none md:px-8"
    >
      <div className="mx-auto max-w-[1400px]">
        <Suspense fallback={<ViewPending />}>
          <AdminsOnly>
            <Outlet />
          </AdminsOnly>
        </Suspense>
      </div>
    </main>
  )
}

/** In place of a view that asks for more than this session may: what it is, and why not. */
function AdminsOnly({ children }: { children: React.ReactNode }) {
  const match = useMatches().at(-1)
  const { data: session } = useQuery(sessionQuery)
  if (match?.staticData.adminsOnly !== true || session?.is_admin !== false) return children
  return (
    <Banner
      variant="secondary"
      icon={<WarningCircleIcon weight="fill" />}
      title={`${match.staticData.navigation?.label ?? 'This view'}: for administrators only`}
      description="Your role at the identity provider (metadata_public.role) is not “admin”. Ask an administrator."
    />
  )
}

/** Said once for the whole page, while what stands on it is the last that was known. */
function ServerState() {
  const cache = useQueryClient().getQueryCache()
  const subscribe = useCallback((changed: () => void) => cache.subscribe(changed), [cache])
  const isDown = useSyncExternalStore(subscribe, () =>
    cache
      .getAll()
      .some(({ state }) => state.fetchStatus === 'fetching' && isUnreachable(state.fetchFailureReason)),
  )
  return (
    <div role="status" className="min-w-0">
      {isDown && (
        <Text variant="error" size="sm" truncate>
          Quoin does not answer. Showing the last known data; trying again…
        </Text>
      )}
    </div>
  )
}
