#!/bin/sh
# From an empty server to a report that is dealt with, over HTTP, with curl alone.
#
#   BASE=http://localhost:3000 HEED_DATA_DIR=./data examples/walkthrough.sh
#
# The server has to be empty: the first person to register becomes its SystemAdmin. What BASE and HEED_DATA_DIR are,
# stands in ask.sh.
. "$(dirname "$0")/ask.sh"

heading "Is the service there, and empty?"
ask 200 nobody GET /api/health
ask 200 nobody GET /api/auth/setup
grep -qF '"needsFirstAccount":true' "$work/body" || stop "this server has accounts already; the walk begins on an empty one."
say "Yes, at $BASE."

heading "Sam sets it up"
ask 201 nobody POST /api/auth/register "{\"email\":\"sam@example.org\",\"password\":\"$(password sam)\",\"name\":\"Sam Okoro\"}"
holds '"madeSystemAdmin":true'
say "Sam was the first to register, and is SystemAdmin."
sign_in sam "$(password sam)"
ask 200 sam GET /api/auth/session
holds '"authenticated":true'
ask 201 sam POST /api/organizations '{"name":"Riverside Meetups","slug":"riverside","description":"We meet by the river."}'
organization=$(first id)
invite=$(first inviteLink)
say "Sam creates an organization. The invite for its first admin: $invite"

heading "Olga takes the invite"
code=${invite##*/}
ask 200 nobody GET "/api/organizations/invite/$code"
holds '"usable":true'
register olga "Olga Lindgren"
ask 200 olga POST "/api/organizations/invite/$code/use"
holds '"role":"org_admin"'
say "Olga registers and is org_admin now."
ask 409 olga POST "/api/organizations/invite/$code/use"
say "Used a second time it is refused, and no use is counted."

heading "Olga creates an event and its team"
ask 201 olga POST "/api/organizations/$organization/events" \
  '{"name":"Riverside Spring Gathering","slug":"spring","startDate":"2031-04-04","endDate":"2031-04-06","contactEmail":"care@example.org"}'
event=$(first id)
ask 200 olga PATCH /api/events/slug/spring '{"codeOfConduct":"Be kind. Ask first. A no is a no."}'
ask 200 nobody GET /api/events/slug/spring
holds "A no is a no."
say "The event has a public page with its code of conduct."
register omar "Omar Haddad"
omar=$user
ask 200 olga POST "/api/events/$event/roles" "{\"userId\":\"$omar\",\"roleName\":\"Responder\"}"
say "Omar is Responder, by a role that Olga gives him."
ask 201 olga POST /api/events/slug/spring/invites '{"role":"Reporter","maxUses":50,"note":"On the badges"}'
code=$(first code)
ask 201 nobody POST "/api/auth/register/invite/$code" \
  "{\"email\":\"maya@example.org\",\"password\":\"$(password maya)\",\"name\":\"Maya Castillo\"}"
sign_in maya "$(password maya)"
ask 200 maya GET /api/events/slug/spring/my-roles
holds '"Reporter"'
say "Maya registers with an event invite, and is Reporter."

heading "Maya reports what happened, with a photo and a PDF"
base64 -d >"$work/photo.jpg" <<'JPEG'
/9j/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/
2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAAR
CAAYACADASIAAhEBAxEB/8QAGAABAAMBAAAAAAAAAAAAAAAAAAEEBQb/xAAcEAEAAQUBAQAAAAAAAAAAAAAAAQMFETSBsQL/
xAAWAQEBAQAAAAAAAAAAAAAAAAADAQL/xAAYEQEBAQEBAAAAAAAAAAAAAAABABECIf/aAAwDAQACEQMRAD8A0BWuGlU57DNt
+7T75JQ8i22wErc/MZhEfOJAB0hkzyLtICWr/9k=
JPEG
base64 -d >"$work/statement.pdf" <<'PDF'
JVBERi0xLjQKMSAwIG9iago8PCAvVHlwZSAvQ2F0YWxvZyAvUGFnZXMgMiAwIFIgPj4KZW5kb2JqCjIgMCBvYmoKPDwgL1R5cGUg
L1BhZ2VzIC9LaWRzIFszIDAgUl0gL0NvdW50IDEgPj4KZW5kb2JqCjMgMCBvYmoKPDwgL1R5cGUgL1BhZ2UgL1BhcmVudCAyIDAg
UiAvTWVkaWFCb3ggWzAgMCA1OTUgODQyXSAvUmVzb3VyY2VzIDw8IC9Gb250IDw8IC9GMSA1IDAgUiAvRjIgNiAwIFIgPj4gPj4g
L0NvbnRlbnRzIDQgMCBSID4+CmVuZG9iago0IDAgb2JqCjw8IC9MZW5ndGggMTA5ID4+CnN0cmVhbQpCVCAvRjIgMTUgVGYgNjQg
NzcwIFRkIChTdGF0ZW1lbnQpIFRqIEVUCkJUIC9GMSAxMSBUZiAxNiBUTCA2NCA3MzggVGQgKFdoYXQgSSBzYXcsIGluIG15IG93
biB3b3Jkcy4pIFRqIFQqIEVUCmVuZHN0cmVhbQplbmRvYmoKNSAwIG9iago8PCAvVHlwZSAvRm9udCAvU3VidHlwZSAvVHlwZTEg
L0Jhc2VGb250IC9IZWx2ZXRpY2EgL0VuY29kaW5nIC9XaW5BbnNpRW5jb2RpbmcgPj4KZW5kb2JqCjYgMCBvYmoKPDwgL1R5cGUg
L0ZvbnQgL1N1YnR5cGUgL1R5cGUxIC9CYXNlRm9udCAvSGVsdmV0aWNhLUJvbGQgL0VuY29kaW5nIC9XaW5BbnNpRW5jb2Rpbmcg
Pj4KZW5kb2JqCnhyZWYKMCA3CjAwMDAwMDAwMDAgNjU1MzUgZiAKMDAwMDAwMDAwOSAwMDAwMCBuIAowMDAwMDAwMDU4IDAwMDAw
IG4gCjAwMDAwMDAxMTUgMDAwMDAgbiAKMDAwMDAwMDI1MSAwMDAwMCBuIAowMDAwMDAwNDExIDAwMDAwIG4gCjAwMDAwMDA1MDgg
MDAwMDAgbiAKdHJhaWxlcgo8PCAvU2l6ZSA3IC9Sb290IDEgMCBSID4+CnN0YXJ0eHJlZgo2MTAKJSVFT0YK
PDF
# A random key makes it safe to send the same once more, as after an answer that got lost.
key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
report() {
  ask 201 maya POST /api/events/slug/spring/incidents --header "Idempotency-Key: $key" \
    --form 'title=Shouting at the registration desk' \
    --form 'description=A guest shouted at a volunteer for several minutes. I stood in line.' \
    --form 'location=Registration desk' --form 'severity=medium' --form 'contactMethod=email' \
    --form "relatedFiles=@$work/photo.jpg" --form "relatedFiles=@$work/statement.pdf"
}
report
incident=$(first id)
holds '"state":"submitted"'
holds '"mimetype":"image/jpeg"'
holds '"mimetype":"application/pdf"'
file=$(grep -o '"id":"[^"]*","filename":"photo.jpg"' "$work/body" | sed 's/^"id":"//; s/".*//')
say "The report is filed, with both files."
report
[ "$(first id)" = "$incident" ] || stop "the same report sent again became another one."
grep -qi '^idempotent-replayed: true' "$work/head" || stop "nothing says that the report had arrived."
say "Sent once more under the same key, it is the same report."
ask 200 maya GET "/api/events/slug/spring/incidents/$incident/related-files/$file/download"
cmp -s "$work/body" "$work/photo.jpg" || stop "the photo came back changed."
say "The photo comes back as it was sent."
ask 400 maya POST "/api/events/$event/incidents" '{"title":"Too short","description":""}'
holds 'title: must be 10 to 70 characters'
say "A report without words is refused, and the answer says what is missing."
ask 201 maya POST "/api/events/$event/incidents" \
  '{"title":"The side door does not open from inside","description":"I was locked in for a moment.","anonymous":true}'
holds '"reporterId":null'
say "A second report is anonymous: nothing in it says who sent it."

heading "Omar deals with the first one"
ask 200 omar GET "/api/users/me/incidents?search=registration"
holds "$incident"
at="/api/events/$event/incidents/$incident"
ask 200 omar PATCH "$at/state" '{"state":"acknowledged"}'
ask 400 omar PATCH "$at/state" '{"state":"investigating"}'
say "Acknowledged. To look into it he has to say who does, and why:"
ask 200 omar PATCH "$at/state" "{\"state\":\"investigating\",\"notes\":\"I talk with both.\",\"assignedToUserId\":\"$omar\"}"
ask 200 omar PATCH "$at/state" '{"state":"resolved","notes":"The guest apologised to the volunteer."}'
holds '"resolution":"The guest apologised to the volunteer."'
say "Investigating, then resolved."
ask 200 omar PATCH "$at/reopen" "{\"notes\":\"It happened again in the evening.\",\"assignedToUserId\":\"$omar\"}"
holds '"state":"investigating"'
holds '"resolvedAt":null'
say "Reopened, since it happened again."
ask 200 omar PATCH "$at/state" '{"state":"closed","notes":"The guest has left. Talked with Maya."}'
holds '"state":"closed"'
ask 200 omar GET "/api/events/slug/spring/incidents/$incident/history"
holds "The guest has left."
say "Closed. The history tells the whole way, with the notes of the team."
ask 200 maya GET "/api/events/slug/spring/incidents/$incident/history"
if grep -qF "The guest has left." "$work/body"; then stop "the reporter sees notes of the team."; fi
say "Maya sees the states of her report, and no word of what the team writes."

heading "Omar pins a report"
ask 204 omar POST /api/users/me/pins "{\"incidentId\":\"$incident\",\"eventId\":\"$event\"}"
ask 204 omar POST /api/users/me/pins "{\"incidentId\":\"$incident\",\"eventId\":\"$event\"}"
ask 200 omar GET "/api/users/me/pins?eventId=$event"
holds "{\"incidentIds\":[\"$incident\"]}"
ask 204 omar DELETE "/api/users/me/pins/$incident"
ask 200 omar GET "/api/users/me/pins?eventId=$event"
holds '{"incidentIds":[]}'
say "Pinned twice it is pinned once; and then no more."

heading "Olga looks at the numbers, and takes them along"
reports="/api/organizations/$organization/reports"
ask 200 olga GET "$reports/analytics?timeRange=30d"
holds '"totalReports":2'
ask 200 olga GET "/api/organizations/$organization/events/summary"
holds '"reportCount":2'
say "Two reports in thirty days."
ask 200 olga GET "$reports/export?format=csv"
grep -q '^id,title,status,severity,event,assignedTo,' "$work/body" || stop "the CSV has another header."
say "The CSV has $(($(grep -c '' "$work/body") - 1)) rows."
ask 200 olga GET "$reports/export?format=pdf" --header 'Accept: application/pdf'
[ "$(head -c 5 "$work/body")" = "%PDF-" ] || stop "the PDF is none."
say "The PDF has $(wc -c <"$work/body" | tr -d ' ') bytes."
ask 403 maya GET "$reports/analytics"
say "Maya, who is no member of the organization, is refused."

heading "Maya has forgotten her password"
ask 200 nobody POST /api/auth/forgot-password '{"email":"maya@example.org"}'
token=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  # She gets other mails, too: only one of them holds a link to a new password.
  for mail in "$OUTBOX"/*.eml; do
    if grep -qs '^To: maya@example.org' "$mail"; then token=$(token_in "$mail"); fi
    [ -z "$token" ] || break 2
  done
  sleep 1
done
[ -n "$token" ] || stop "no mail to her with a link came into $OUTBOX within 20 seconds. Is HEED_DATA_DIR the folder of this service?"
say "The mail with the link is in the outbox."
ask 200 nobody GET "/api/auth/validate-reset-token?token=$token"
holds '"valid":true'
ask 200 nobody POST /api/auth/reset-password "{\"token\":\"$token\",\"newPassword\":\"maya found another bridge\"}"
ask 400 nobody POST /api/auth/reset-password "{\"token\":\"$token\",\"newPassword\":\"maya found another bridge\"}"
holds RESET_TOKEN_INVALID
ask 200 maya GET /api/auth/session
holds '"authenticated":false'
say "The link works once, and her old sessions have ended."
ask 401 nobody POST /api/auth/login "{\"email\":\"maya@example.org\",\"password\":\"$(password maya)\"}"
sign_in maya "maya found another bridge"
say "She signs in with the new password; the old one is worth nothing."

heading "Everybody signs out"
for who in sam olga omar maya; do ask 200 "$who" POST /api/auth/logout; done
ask 401 omar GET /api/users/me/incidents
say "Done: from an empty server to a closed report."
