// The part of supabase-js that is used here. In a chunk of its own, which comes when somebody listens.

export { RealtimeClient } from '@supabase/supabase-js'
