/**
 * Beginnings of words that new receipts never contain, since a shaken person reads them: insults, violence, weapons,
 * death, illness, the body, fear and shame, and words about who somebody is. Everyday words with such a beginning are
 * left out, too.
 */
export const HURTFUL_STEMS: ReadonlySet<string> = new Set(
  `
  abdom abnorm absurd abus achi afflict affront afraid aghast agnost agon aids alarm alien aloof ambush amniotic
  anemi aneurism anger angri anguish annoy antics anxi apache apprehen armed army arous arrest arrogan arson
  asham assault atheis atroci atroph attack audac autis aveng avers awful awkward awry babied baboon backlash
  backsid backstab badass badly badness banish banshee barbar bash batter battl bazooka blade blam bland
  blasphem bleak blemish blight bloat blob blood blubber blunder blunt boastful bodi body bogus bone bony boob
  boogey boogie booti brawl breed bribe browbeat brownnos bruis brunt brut buckshot bucktooth buddhis buffoon
  bully burial burn busybody butt cannabis captiv careless caress carnage casket casualt catcall catfight
  cathouse cattish catty caucasian celiba celtic cesarean cesspool chaos charred chast cheat chemo child chimp
  chok chubby chump chunk clammy clench clobber clum clunk coerc coffin coloni coma conceal condom confess
  confin confound contempt contort contrite coroner corps corrupt cough coward cramp crash craz creep cremat cri
  crook crotch crud cruel crumm crusad crush cry cuddl culpab culprit cupid curdl curs cuss dagger dander
  dandruff danger dark darwin daunt dead deaf death decay deceas deceit deceiv decepti decompos defac defam
  defeat defect defil deform defraud defy degrad delinquen delous delus demean dement demis denial deny deplor
  deport deprav deprec depress depriv derail derang derid desecr desert desolat despair desper despis despond
  destitut destroy destruct detain deterior detest detonat devalu devast devian deviat devious devour diabet
  diabol diaper dictat direness dirt disab disappoint disarm disast disbelie discard discomfort discredit
  disdain diseas disfigur disgrac disgruntl disgust dishonest disinfect disjoin dislik dislo dismal dismay
  dismiss disob disorder disown dispens displeas dispos disprov disput disregard disrupt dissatisf distort
  distract distress distrust disturb ditch ditz divorc dizz dodg doom dop dork doubt douche dread drear dreg
  drool dropout drown drudg drug drunk dud dull dumb dump duress dwarf dweeb dwindl dying dynamit dyslexi
  eccentr egomania egotis embarrass embezz embolis emboss enabl endang enem enrag enslav ensnar entomb entrap
  envi epidem epilep eradic erotic eskimo estrang evad evasi evict evil exclu excret execut exhaust exhum exil
  exorcis expletiv explod exploit expos expuls extinct extort faceless fade fail faint fak fals famin fanat fasc
  fat fault fear feeb feis feroc fester fetal fiasco fickl fidget fiend fierc filth flabb flaccid flail flak
  flaunt flaw flesh flinch flirt flogg floozy flop foe fondl fool forbid forc forlorn foul fraci fractur fragil
  frail frantic fraud freak freckl freeload frenz fret fright frigid frisk frown fruga frump frustrat fum
  funeral fury gaff gag gallow gang garbag gash gawk geek germ ghast ghost ghoul gigolo gloat gloom glutton
  gnarl gnash goof goon gore gory gossip grav greas greed grief griev grim grope groping gross grouch grovel
  growl grudg gruel gruesom gruff grumb grump guilt gullibl gun gutless guts hack hag hamper handcuff handgun
  hangover harass hard harm harsh hassl hatchet hate hatr haughti haunt hazard hazing headless headlock
  headstone heathen heathn helpless henchm hesit hideous hijack hing hoard hoax hobbl hollow homicid hook horr
  hostag hostil humbl humdrum humiliat hump hunch hung hunk hunt hurl hurt hustl hypocri hyster icky idio ignor
  ill imbec immatur immobil immodest immoral immun impair impal impatien imperfect imperson impish implo impolit
  impos impot imprison improper impur inabil incap incest incompet indecen inept infect infer infest infidel
  inflam inflict injur insan insect insecur insult intim intox intrud invad invas irat irk irrita islam itch jab
  jad jail jealous jeer jerk jinx jitter jockstrap joyless judg junk kick kidnap kill kiss knickers knife knock
  kook lacerat lam landmin lanki lanky lard lash laugh lavish laxat laz leer lesion lesser lethal lethar lewd
  lick lifeless limb limp linger liver livid loath lone long loot los lous loveless lowlife ludicr lumpi luna
  lung lurch lurid lurk lust lying lynch mace machet mad maggot maim malic malign mammogram man marxis mashe
  mask masoch maternit mayhem meager mean menac menopaus mental mess milit mis moan mob mocha mocke molest
  mongrel monkhood monst mooch mood mope mopp morbid morgu moron mortal mortic mortif mortu mosque mound mourn
  mouth muck mud muffl mug mummif mumps munchkin murd murk musty mut muzzl nag naiv naked nasal nasti nasty
  naturis naught nause naval neck need negat negl nerd nerv neuros neurot nipp nitwit noose nosy nud nuisanc
  numb nurs nut oaf obes oblivi obnox obscen obscur obses obsolet obstru occult odd offen ogl oink omin
  onslaught oppos oppress oral ordeal ornery ostrac oust outbid outburst outcast outlaw outrag outsid ovary oven
  overbear overcom overdos overdu overfed overkill overpow overrid oversiz overtak overthrow overw pacif paddl
  pagan pain pale paltry pang panic pant paralyz paranoi parasit parol pathet patholog pauper peculiar peddl
  peev pelvi penal penis penniless pent peril perish perjur perm perplex persecu perv pesky pessim pest petri
  pett phleg phobi phony pimp pistol pitbull piti pity plague plead plow plunder plunge poach pointless poison
  poke poking pollut pope pornog portly postwar pounc pout powerful powerless pox prank predat pregnan prejudi
  prewar prey prick prison prob prod profan prostrat provok prowl prozac prud pry psych pub puk punch pung
  punish punk puny puppet pureb purg puritan push pussy putdown putrid pyroman quak qualm quarrel queas quit
  rabid rac raft rag raid ramb ramp ranci ransack rant rap rascal rash rat ravag ravish raw reap reb reck reclus
  rectal refus regress regret rehab reject relaps relent relinq reluct remors renegad reopen repe repress reprim
  reproa reptil repugn repuls resent resist restrain retali retard reveng revil revok revolt revolv ridicul rife
  rigid riot rip ritalin ritual riv rob rogu rot rough rowdi rowdy rub rude ruffl ruin runt rupture ruth sabot
  sad sagg salaci sarcas satan satir savag scab scald scalp scam scandal scant scar scathin scavenge scoff scold
  scorch scorn scoundrel scour scowl scragg scram scrap scratch scrawn scream screech scrub scruff scrutin scuff
  scum seclu secret sedat seduc seiz selfish senil senseless sensual serf serpent sever sewer sex shabb shack
  shad shak shallow sham shank shard shav shed shell shift shin shiver shock shoot shortcom shot shov shrapnel
  shred shrew shriek shrill shriv shrug shuck shudder shun shush shut shy siamese sick silenc simmer singe
  sinist sinle sinner sinuous siren skelet skep skim skin skirmish slab slack slain slam slander slang slap
  slash slaught slav slay sleaz sleep slept slic slight slim sling slink slip slit sliv slobb slop slouch sludg
  slug slum slurp slush sly smack smash smear smell smelt smirk smit smog smok smolder smother smudg smug smut
  snag snap snar sneak sneer snid sniff snip snitch snob snoop snoot snor snot snout snub snuff sob soil sore
  sorrow spank spat spear speechless spew spinal spineless spinst spit spleen splinter spoil spook spous spur
  squabbl squal squand squash squat squeal squeam squelch squirm stab staged stagger stagnan stain stale stalk
  stamm starv steal stench steril stern stew stick stiff stifl stigma still sting stink stole ston stooge stow
  straggl strain stran strap stray stress strew strick strif strik string strip strok struck strugg strung stub
  stuck stuff stumbl stump stun stupid stupor subdu submerg subsid suck sued suffer suffoc suicid suing sulk
  sullen sultry supremac surge surrend suspect suspens swab swap swat swear sweat swelt swindl swip swoll swore
  symptom syndrom tack tactless taint talib tamper tantrum target tarnish tart tattl tattoo taunt tear temper
  tempt terribl terror theft thiev thigh thin thong thorn thrash threat throat throb throttl throw thug thump
  thwart tick tight timid tir tissu tomb tongue tormen tortur toxic tragedy traitor tramp trap trash traum
  treach treason trembl tremor trespass tribesm trick trip troll troubl tubby tumbl tummy tumor turmoil twerp
  twist twitch tyran udder ugl ulcer umbilical unabas unable unad unal unaud unaw unb unca unce unch unci uncl
  uncoa uncom uncor uncou uncov uncr uncu undam undat undaunt undead undecid undefin underag underarm underf
  underhand undermin underpaid underrat underwear underwir undes undie undil undiv undon undress undue undy une
  unf ung unh unid unim unin unj unk unl unm unn uno unp unq unr uns unt unu unv unw unz upchuck upheav uproar
  uptight urin urolog useless usurp uter vagab vagin vagran vain valium vampir vandal vanquish varmint vaselin
  vendett veng venom vermin vex vic vigil vile villain violat violen viper virgin virus vixen void volatil vomit
  vulg vulner vultur wack wail wannabe warf warhead warlik warn wart wast weak weapon wear weep weird whack wham
  whimp whin whip white wick widow wild wilt wimp wince wincing wino wipe witch wither woe wolf wom woozy worm
  worri worry worse worst worthless wound wrangl wrath wreck wrench wrestl wretch wring wrinkl wrong yank
  yearning yell yiddish zit zombi
  `
    .trim()
    .split(/\s+/),
);
