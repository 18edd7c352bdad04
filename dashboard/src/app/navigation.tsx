// The sidebar: what the views say of themselves, in their order.

import { Sidebar, useSidebar } from '@cloudflare/kumo'
import { type StaticDataRouteOption, useLocation } from '@tanstack/react-router'
import { views } from '../views/index.ts'
import { AdminsOnlyMark } from './admins-only.tsx'
import { GROUPS, type NavigationEntry } from './root-route.ts'

export interface Place extends NavigationEntry {
  href: string
  adminsOnly: boolean | undefined
}

/** What the views say of themselves, with their addresses. */
export const VIEWS: readonly (StaticDataRouteOption & { path: string })[] = views.map(({ options }) => {
  const { path, staticData } = options as { path: string; staticData?: StaticDataRouteOption }
  return { path, ...staticData }
})

/** The views that have an entry, with their addresses. */
export const PLACES: readonly Place[] = VIEWS.flatMap(({ path, navigation, adminsOnly }) =>
  navigation === undefined ? [] : [{ ...navigation, href: path, adminsOnly }],
)

/** The sidebar may be longer than the screen. */
const seen = (entry: HTMLElement | null) => entry?.scrollIntoView({ block: 'nearest' })

/** The entry that a page belongs to: a record's is its list's. */
function placeOf(pathname: string): Place | undefined {
  const under = (href: string) => pathname === href || (href !== '/' && pathname.startsWith(`${href}/`))
  return PLACES.filter(({ href }) => under(href)).sort((a, b) => b.href.length - a.href.length)[0]
}

export function Navigation() {
  const { pathname } = useLocation()
  const { setOpenMobile, isMobile } = useSidebar()
  const current = placeOf(pathname)
  const groups = GROUPS.map(group => ({ group, places: PLACES.filter(place => place.group === group) }))
  return (
    <Sidebar aria-label="Views">
      <Sidebar.Header>
        <Brand />
      </Sidebar.Header>
      <Sidebar.Content>
        <nav aria-label="Views">
          {groups
            .filter(({ places }) => places.length > 0)
            .map(({ group, places }) => (
              <Sidebar.Group key={group}>
                {group !== '' && <Sidebar.GroupLabel>{group}</Sidebar.GroupLabel>}
                <Sidebar.Menu>
                  {places.map(place => (
                    <Sidebar.MenuItem key={place.href}>
                      <Sidebar.MenuButton
                        ref={current === place ? seen : undefined}
                        href={place.href}
                        icon={place.icon}
                        size="sm"
                        className="scroll-my-10"
                        tooltip={place.label}
                        active={current === place}
                        aria-current={current === place ? 'page' : undefined}
                        onClick={() => isMobile && setOpenMobile(false)}
                      >
                        {place.label}
                        <AdminsOnlyMark of={place} />
                      </Sidebar.MenuButton>
                    </Sidebar.MenuItem>
                  ))}
                </Sidebar.Menu>
              </Sidebar.Group>
            ))}
        </nav>
      </Sidebar.Content>
      <Sidebar.Footer>
        <Sidebar.Trigger />
      </Sidebar.Footer>
    </Sidebar>
  )
}

function Brand() {
  return (
    <span className="flex items-center gap-2 overflow-hidden font-semibold">
      <img src="/favicon.svg" alt="" className="size-6 shrink-0" />
      <span className="truncate">Quoin</span>
    </span>
  )
}
