import { Button, DropdownMenu } from '@cloudflare/kumo'
import { CheckIcon, CompassIcon, SignOutIcon, UserCircleIcon } from '@phosphor-icons/react'
import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { signOut, useSession } from '../api/session.ts'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { chooseTheme, THEMES, useTheme } from './theme.ts'

const THEME_LABELS = { system: 'As the system', light: 'Light', dark: 'Dark' }

/** Who is signed in, light or dark, and the way out. */
export function UserMenu() {
  const { identity, is_admin: isAdmin, role } = useSession()
  const theme = useTheme()
  const router = useRouter()
  const leave = useMutation({ mutationFn: signOut })
  const name = identity.email ?? identity.name ?? identity.id
  return (
    <>
      <DropdownMenu>
        <DropdownMenu.Trigger
          render={
            <Button variant="ghost" icon={<UserCircleIcon size={20} />} aria-label={`Signed in as ${name}`}>
              <span className="hidden max-w-56 truncate md:inline">{name}</span>
            </Button>
          }
        />
        <DropdownMenu.Content align="end">
          <DropdownMenu.Group>
            <DropdownMenu.Label>
              {name}
              <br />
              <span className="text-kumo-subtle">{isAdmin ? 'Administrator' : (role ?? 'No role')}</span>
            </DropdownMenu.Label>
          </DropdownMenu.Group>
          <DropdownMenu.Separator />
          {THEMES.map(choice => (
            <DropdownMenu.Item
              key={choice}
              icon={theme === choice ? CheckIcon : undefined}
              onClick={() => chooseTheme(choice)}
            >
              {THEME_LABELS[choice]}
            </DropdownMenu.Item>
          ))}
          <DropdownMenu.Separator />
          <DropdownMenu.Item icon={CompassIcon} onClick={() => router.history.push('/?tour=true')}>
            Show the tour
          </DropdownMenu.Item>
          <DropdownMenu.Item icon={SignOutIcon} onClick={() => leave.mutate()}>
            Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu>
      {leave.isError && <ErrorNotice error={leave.error} />}
    </>
  )
}
