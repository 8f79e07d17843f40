#!/usr/bin/env python3
"""Executable specification of the commit log: an explicit-state model of S3, of its clients, and of what must hold.

  commit_log.py all [seconds]         every configuration, breadth first, with all rules
  commit_log.py one NAME [seconds]    one configuration
  commit_log.py without [seconds]     each rule left out in turn: shows the shortest history that goes wrong
  commit_log.py known                 what the protocol does not promise, with a history each
  commit_log.py walk [seconds] [seed] random histories of larger configurations, shrunk when one goes wrong
  commit_log.py traces FILE [seconds] the histories of "without" as JSON, for ModelTracesTest, which replays them against the code
Each takes rules to leave out (-chain) as further arguments.

What one move is: one request of one process, a delayed request that reaches the store, or the end of one join.
A process sleeps whenever the search moves others, so every sleep of any length is covered; a crash is a sleep that does not end, and nobody can
tell one from the other (anybody may write a RESUME at any time), so it needs no move of its own. "Waiting" is a move that is not possible yet.
Every file is a multipart upload: a Complete works once.
Keys are unique (names with an identity), so a file is a number, and sets of files, directories and entries are bits of an int.
"""
import hashlib, json, random, sys, time
from collections import namedtuple, deque
from functools import reduce

# ---- the rules, each of which can be left out (command "without") ------------------------------------------------------------------------
RULES = {
    'join':     'a file of an earlier entry that is neither pending nor there is waited for (joining), then looked at again',
    'leave':    'what a later entry replaces is left to it: no old objects are deleted there by an executor that found itself superseded',
    'between':  'a RESUME makes no file visible that an entry between replaces',
    'chain':    'who follows an entry also follows those that it follows',
    'first':    'hook: after the engine\'s own delete CLEAR, if an entry was not quiet at the LIST before it',
    'again':    'hook: after the engine\'s own delete CLEAR, if an entry has come since the LIST before it',
    'look':     'a second decider, and an aborter, look for an entry of their job before they decide',
    'lost':     'who loses a number adds its entry to those that it follows',
    'inside':   'ended.superseded is written only for an entry whose whole effect (directories of its files, its R) lies inside the own R',
    'front':    'ended.superseded is written only by an executor that did not find itself superseded (P.left == 0)',
    'keep-followed': 'an entry is not cut while one that follows it has not ended',
    'exists':   'hook, DROP TABLE: before each PUT of its CLEAR it asks whether the table is there again; then it writes none',
    'halt':     'a REPLACE that lost a file is not ended: its RESUME leaves it to the operator (marker "left", which ends nothing but itself)',
    'fresh':    'an entry is not written when the LIST before it is older than a day: then nothing is decided',
    'highest':  'an absent file is settled by the highest entry between that replaces its directory, if that is executed: a lower one may have left the file to it',
    'own-tail': 'absent files are settled only for who has decided the entry, and by what it had listed before; a RESUME waits for them',
    'none-later': 'hook: files of an entry that has ended while the engine deleted are at their end, unless a later entry replaces something: they may be left to that',
    'young':    'a job that is older than the youngest entry that can have been cut does not decide',
}
ON = set(RULES)

Entry = namedtuple('Entry', 'kind job owner target files R old follows')      # target: the entry that is executed (itself, or the one resumed)
State = namedtuple('State', 'log ended obj pend join ever flight procs losses reg lost left cut skips sup', defaults=(0, 0, 0, (), 0))
# log: entries, number 1 first; ended: bits of entries that have a marker
# obj/pend/join/ever: bits of files: visible, pending upload, joining, visible at some time; flight: delayed requests; reg: registered directories
# lost: files that a marker calls lost; left: RESUMEs whose marker says "left";
# sup: entries with a marker ended.superseded; cut: entries up to this number are deleted; skips: (highest number first listed, R) of hook statements that have decided nothing
Proc = namedtuple('Proc', 'pc n fol old what e i left again got miss stale tail noted', defaults=(0,) * 13)
# what: 0 own entry, t > 0 RESUME of t, -1 VOID; n: number tried; e: entry executed; left: directories that are a later entry's business;
# fol: follows; got: files that an engine has listed; again: a DROP found its table there again; miss: files that are lost; stale: its LIST is older than a day
# tail: files that are settled as its LIST shows; noted: files that a hook's statement takes for at their end
Role = namedtuple('Role', 'kind job files R', defaults=(0, (), 0))
START, END = Proc('list'), Proc('end')
NEW = 50               # jobs from this number on are of a table that is made again after a DROP
TAKES = ('RESUME', 'GIVEUP')    # GIVEUP: a RESUME by an operator that makes nothing visible

class Violation(Exception):
    pass

def need(ok, message, *args):
    if not ok:
        raise Violation(message % args)

class Config:
    """files: string of kind and directory per file, as 'Ua Ub Oa': Upload, Old object that is there at the start.
    begin: moves with which each history begins (of a search, not of random ones), where all of them would be too many."""
    def __init__(self, files, roles, losses=1, meta=0, cut=0, note='', begin=()):
        fs = files.split()
        self.kind = [f[0] for f in fs]
        self.names = sorted({f[1] for f in fs})
        self.dir = [1 << self.names.index(f[1]) for f in fs]
        self.roles, self.losses, self.meta, self.cut, self.note, self.begin = roles, losses, meta, cut, note, begin
        self.kinds = {r.kind for r in roles}
        self.damage = bool(self.kinds & {'VANISH', 'GIVEUP'})
        self.hook = bool(self.kinds & {'HOOK', 'DROP'})
        self.init = bits(i for i, k in enumerate(self.kind) if k == 'O')
        self.dirfiles = {d: bits(i for i, x in enumerate(self.dir) if x & d) for d in range(1 << len(self.names))}

    def start(self):
        pend = bits(i for i, k in enumerate(self.kind) if k == 'U')
        reg = reduce(lambda r, f: r | self.dir[f], members(self.init), 0)
        return State((), 0, self.init, pend, 0, self.init, (), (START,) * len(self.roles), self.losses, reg)

def bits(it):
    return reduce(lambda r, i: r | 1 << i, it, 0)

def members(mask):
    return [i for i in range(mask.bit_length()) if mask >> i & 1]

def J(jobid, kind, files, R='', names='abc'):
    return Role(kind, jobid, tuple(files), bits(names.index(c) for c in R))

# ---- what can be read from the log --------------------------------------------------------------------------------------------------------
def executors(S, t):
    """The entry t and all RESUMEs of it."""
    return [k for k, en in enumerate(S.log, 1) if en.target == t and en.kind != 'VOID']

def done(S, t):
    return any((S.ended & ~S.left | S.sup) >> k & 1 for k in executors(S, t))

def settled(C, S, e):
    """May a REPLACE that lists the log now ignore entry e, because its listing of objects shows all that e can ever do?"""
    en = S.log[e - 1]
    if en.kind == 'VOID':
        return True
    t = en.target
    return bool((S.ended | S.sup) >> e & 1) or done(S, t)

def superseded(C, S, P):
    """Entries for which the executor of P.e, that has finished steps 1 to 3, writes ended.superseded."""
    k = S.log[S.log[P.e - 1].target - 1]
    if P.left and 'front' in ON:
        return []
    return [m for m in sorted({S.log[f - 1].target for f in members(k.follows)}) if m > S.cut and not (S.sup | S.ended) >> m & 1 and
            ('inside' not in ON or not reduce(lambda r, f: r | C.dir[f], S.log[m - 1].files, S.log[m - 1].R) & ~k.R)]

def to_follow(C, S, e, R):
    return overlaps(C, S, e, R) and not settled(C, S, e)

def overlaps(C, S, e, R):
    en = S.log[e - 1]
    t = S.log[en.target - 1] if en.kind != 'VOID' else en
    return en.kind != 'VOID' and (t.R & R or any(C.dir[f] & R for f in t.files))

def follow(C, S, e):
    return 1 << e | (S.log[S.log[e - 1].target - 1].follows if 'chain' in ON else 0)

def replaced_between(S, t, e):
    """The directories that entries between t and e replace."""
    return reduce(lambda r, en: r | en.R, S.log[max(t, S.cut):max(t, e - 1)], 0)

def settled_files(C, S, R, below):
    """Files that an executed entry has brought to their end, and that it has not left to another, as a LIST shows them now that reaches up to a number."""
    r = 0
    for f in members((S.pend | S.join) & C.dirfiles[R]):                  # (of others it does not matter)
        m = next((k for k, en in enumerate(S.log, 1) if f in en.files), 0)
        if m:
            between = [k for k in range(max(m, S.cut) + 1, below) if S.log[k - 1].R & C.dir[f]]
            settles = [k for k in between if any((S.ended & ~S.left) >> x & 1 for x in executors(S, k)) and any(S.log[x - 1].target == m for x in members(S.log[k - 1].follows))]
            r |= (settles[-1:] == between[-1:] if 'highest' in ON else settles != []) << f if between else 0
    return r

def completed_files(S, ks):
    """Files of entries whose own executor has ended, and has left nothing to a later one."""
    return bits(f for k in ks if (S.ended & ~S.left) >> k & 1 and S.log[k - 1].target == k and not ('none-later' in ON and any(en.R for en in S.log[k:]))
                for f in S.log[k - 1].files if (S.pend | S.join) >> f & 1 and not S.lost >> f & 1)

def later_R(S, t, d):
    """The directories of those later entries that replace d."""
    return reduce(lambda r, en: r | en.R if en.R & d else r, S.log[max(t, S.cut):], 0)

def expected(C, S):
    """S1: execute the entries one after the other; a hook's statement without CLEAR stands right behind the highest number that it listed."""
    vis = C.init
    for n in range(len(S.log) + 1):
        if n and S.log[n - 1].kind in ('ADD', 'REPLACE', 'CLEAR'):
            vis = vis & ~C.dirfiles[S.log[n - 1].R] | bits(S.log[n - 1].files)
        vis = reduce(lambda v, s: v & ~C.dirfiles[s[1]] if s[0] == n else v, S.skips, vis)
    return vis & ~S.lost

def given_up(S, t):
    return any(en.kind == 'GIVEUP' and en.target == t for en in S.log)

def satisfied(C, S, t, d):
    """S5, in directory d: all files of t have been there, or belong to a later entry (of which, where it replaces d, the same is true)."""
    for f in S.log[t - 1].files:
        if not S.ever >> f & 1 and not given_up(S, t):
            if not any(S.log[k - 1].R & C.dir[f] and (not S.log[k - 1].R & d or satisfied(C, S, k, d)) for k in range(t + 1, len(S.log) + 1)):
                return False
    return True

# ---- what must hold in every state --------------------------------------------------------------------------------------------------------
def check(C, S):
    seen = set()
    for en in S.log:
        if en.kind not in TAKES:
            need(en.job not in seen, 'S2: job %d is decided twice', en.job)
            seen.add(en.job)
    real = [k for k, en in enumerate(S.log, 1) if en.kind in ('ADD', 'REPLACE', 'CLEAR')]
    isdone = {k: done(S, k) for k in real}
    earlier = C.init
    # (busy for ever: a DROP TABLE that found the table there again; an INSERT during that DROP is not promised anything)
    busy = any(r.kind in ('HOOK', 'DROP') and (p.pc in ('elist', 'edel', 'post', 'exists', 'put', 'read') or p.again) for r, p in zip(C.roles, S.procs))   # a statement that has not ended
    for k in real:
        en = S.log[k - 1]
        if en.R and isdone[k]:
            open_later = reduce(lambda r, k2: r | S.log[k2 - 1].R, [k2 for k2 in real if k2 > k and not isdone[k2]], 0)
            back = S.obj & earlier & C.dirfiles[en.R & ~open_later]
            need(not back, 'S4: file %s of before entry %d is visible after its end', members(back), k)
        earlier |= bits(en.files)
    if real and not busy and 'FOREIGN' not in C.kinds:
        exp = expected(C, S)
        for d in members(max(C.dirfiles)):                                # a directory counts when its last REPLACE, and all after it, have ended
            mine = [k for k in real if overlaps(C, S, k, 1 << d)]
            last = max([k for k in mine if S.log[k - 1].R >> d & 1], default=0)
            if all(isdone[k] for k in mine if k >= last):
                need(not (S.obj ^ exp) & C.dirfiles[1 << d], 'S1: visible %s, in order %s', members(S.obj), members(exp))
    for m in members(S.sup):
        need(not (S.obj | S.pend | S.join) & bits(S.log[m - 1].files), 'S11: entry %d is marked superseded, but file %s can be seen, now or later', m, S.log[m - 1].files)
    need(not S.lost & (S.obj if C.hook else S.ever), 'L: file %s is called lost, but was or is there', members(S.lost))
    for k in real if C.damage else []:
        for f in S.log[k - 1].files if isdone[k] else ():
            need((S.ever | S.lost | S.pend | S.join) >> f & 1 or any(en.R & C.dir[f] for en in S.log[k:]), 'D: entry %d has ended, file %d is silently missing', k, f)
    if real and all(isdone.values()) and not busy and 'FOREIGN' not in C.kinds:
        if C.meta == 2:                                                   # known not to hold: see PROTOCOL.md, an empty partition may come back
            reg = C.start().reg
            for en in S.log:
                if en.kind in ('ADD', 'REPLACE', 'CLEAR'):
                    reg &= ~en.R
                    reg = reduce(lambda r, f: r | C.dir[f], en.files, reg)
            need(not S.reg & ~reg, 'S9: a dropped partition is registered again, without rows')
        for f in members(S.obj) if C.meta else []:
            need(C.dir[f] & S.reg, 'S8: rows of file %d are in a directory that is not registered', f)
    for r, p in zip(C.roles, S.procs):
        need(r.kind != 'DROP' or not any(en.job == r.job and any(x.job in range(NEW, 100) for x in S.log[:k]) for k, en in enumerate(S.log)),
             'S10: DROP TABLE clears what belongs to the table that was made again')
        need(r.kind != 'FOREIGN' or not S.obj & p.old, 'F: what a foreign writer has deleted is visible again: %s', members(S.obj))

# ---- moves --------------------------------------------------------------------------------------------------------------------------------
def setp(S, p, P, **kw):
    return S._replace(procs=S.procs[:p] + (P,) + S.procs[p + 1:], **kw)

def lose(S, p, P, request):
    """The request is sent, the client sees a time-out; the request takes effect at any later moment, or never."""
    return setp(S, p, P, flight=tuple(sorted(S.flight + (request,), key=repr)), losses=S.losses - 1)

def useful(S):
    """Drops delayed requests that can do nothing any more: the same state for all that follows."""
    keep = tuple(r for r in S.flight if (r[1] > len(S.log) if r[0] == 'entry' else (S.pend | S.join) >> r[1] & 1))
    return S if len(keep) == len(S.flight) else S._replace(flight=keep)

def moves(C, S):
    for label, T in all_moves(C, S):
        yield label, useful(T) if T.flight else T

def all_moves(C, S):
    for i, r in enumerate(S.flight):                                   # a delayed request reaches the store
        if i and S.flight[i - 1] == r:
            continue
        T = S._replace(flight=S.flight[:i] + S.flight[i + 1:])
        if r[0] == 'complete' and S.pend >> r[1] & 1:
            yield 'store: delayed Complete of file %d begins to join' % r[1], T._replace(pend=S.pend & ~(1 << r[1]), join=S.join | 1 << r[1])
        elif r[0] == 'entry' and r[1] == len(S.log) + 1:
            yield 'store: delayed PUT of entry %d takes effect' % r[1], T._replace(log=S.log + (r[2],))
    for f in members(S.join):
        b = 1 << f
        yield 'store: file %d is joined and visible' % f, S._replace(join=S.join & ~b, obj=S.obj | b, ever=S.ever | b)
        yield 'store: join of file %d fails, it is pending again' % f, S._replace(join=S.join & ~b, pend=S.pend | b)
    if C.cut:
        yield from cut(C, S)
    for p, P in enumerate(S.procs):
        if P.pc == 'end':
            continue
        for label, T in step(C, S, p, P, C.roles[p]):
            yield 'p%d %s' % (p, label), T

def cut(C, S):
    """The lowest entry is deleted; it is older than seven days: a LIST before it is stale, a job before it is old."""
    c = S.cut + 1
    if c < len(S.log) and settled(C, S, c) and ('keep-followed' not in ON or all(done(S, k) for k, en in enumerate(S.log, 1) if en.follows >> c & 1)
                                   and all(settled(C, S, k) for k in executors(S, c) if k > c)):   # a RESUME follows its target
        P = tuple(p._replace(stale=1) if p.pc in ('old', 'put', 'read') and p.n <= c or p.pc == 'list' and r.job and r.job == S.log[c - 1].job else p
                  for r, p in zip(C.roles, S.procs))
        yield 'clock: entry %d is cut' % c, S._replace(cut=c, procs=P)
    for p, P in enumerate(S.procs):
        if P.pc in ('old', 'put', 'read') and not P.stale:
            yield 'clock: LIST of p%d is older than a day' % p, setp(S, p, P._replace(stale=1))

def adopt(S, p, P, k):
    """Job's entry k is there, of another process: carry it on, by a RESUME of our own."""
    en = S.log[k - 1]
    if en.kind == 'VOID' or done(S, k):
        return setp(S, p, END)
    return setp(S, p, P._replace(pc='put', n=k + 1, what=k, fol=0, old=0))

def execute(S, e, P=START):
    """The first position of the execution of entry e, by who has decided it in position P."""
    t = S.log[e - 1].target
    return Proc('relist' if S.log[e - 1].kind == 'RESUME' else 'own', e=e, tail=P.tail, noted=P.noted, left=replaced_between(S, t, e) if 'between' in ON else 0)

def lost_number(C, S, p, P, role):
    """412, or read after a time-out: entry P.n is there."""
    en = S.log[P.n - 1]
    if P.what > 0:
        if en.owner == p and en.kind in TAKES and en.target == P.what:
            return setp(S, p, execute(S, P.n))
    elif en.job == role.job and en.kind not in TAKES:
        if en.owner == p and (P.what == 0) == (en.kind != 'VOID'):
            return setp(S, p, execute(S, P.n, P) if P.what == 0 else P._replace(pc='sweep'))
        if role.kind == 'ABORTER':
            return setp(S, p, END)
        if en.owner == p:                                                # it had given up, but its own first PUT stands
            return setp(S, p, END if en.kind == 'VOID' else execute(S, P.n, P))
        return adopt(S, p, P, P.n)
    fol = P.fol
    if P.what == 0 and role.R and overlaps(C, S, P.n, role.R) and 'lost' in ON:
        fol |= follow(C, S, P.n)
    return setp(S, p, P._replace(pc='exists' if role.kind == 'DROP' else 'put', n=P.n + 1, fol=fol))

def step(C, S, p, P, role):
    pc, h = P.pc, len(S.log)
    # -- deciding (none of these moves ever waits: S7; each lost number is one entry of somebody else)
    if pc == 'list':
        if role.kind == 'FOREIGN':
            yield 'foreign writer deletes everything', setp(S, p, END._replace(old=S.obj), obj=0)
            return
        if role.kind == 'VANISH':
            for f in members(S.pend):
                yield 'upload of file %d vanishes' % f, setp(S, p, END, pend=S.pend & ~(1 << f))
            return
        if role.kind in ('REC', 'GIVEUP'):
            for t, en in enumerate(S.log, 1):
                if t > S.cut and en.kind in ('ADD', 'REPLACE', 'CLEAR') and not done(S, t):
                    yield 'lists the log, will resume %d' % t, setp(S, p, P._replace(pc='put', n=h + 1, what=t))
            return
        if role.job in range(NEW, 100):                                   # a job of the table that is made again after the DROP
            if not any(r.kind == 'DROP' and q.pc not in ('list', 'old', 'elist', 'edel') for r, q in zip(C.roles, S.procs)):
                return
        if P.stale and 'young' in ON:
            yield 'job is too old to decide: fails', setp(S, p, END)
            return
        P = P._replace(stale=0)
        if 'look' in ON:
            for k, en in enumerate(S.log[S.cut:], S.cut + 1):
                if en.job == role.job and en.kind not in TAKES:
                    yield 'lists the log, finds its job', setp(S, p, END) if role.kind == 'ABORTER' else adopt(S, p, P, k)
                    return
        fol = 0
        if role.R:
            for k in range(S.cut + 1, h + 1):
                if to_follow(C, S, k, role.R):
                    fol |= follow(C, S, k)
        what = -1 if role.kind == 'ABORTER' else 0
        yield 'lists the log: highest %d, follows %s' % (h, members(fol)), setp(S, p, P._replace(pc='elist' if role.kind in ('HOOK', 'DROP') else 'old' if role.R else 'put', n=h + 1, fol=fol, what=what,
            tail=settled_files(C, S, role.R, h + 1) if fol and role.kind not in ('HOOK', 'DROP') else 0))
    elif pc == 'old':
        old = S.obj & C.dirfiles[role.R]
        yield 'lists old objects %s' % members(old), setp(S, p, P._replace(pc='put', old=old))
    elif pc == 'exists':
        again = 'exists' in ON and any(r.job in range(NEW, 100) and q.pc != 'list' for r, q in zip(C.roles, S.procs))
        yield 'asks whether the table is there again: %s' % again, setp(S, p, END._replace(again=1) if again else P._replace(pc='put'))
    elif pc in ('put', 'read'):
        need(P.n <= h + 1, 'S7: number %d is tried, the first free one is %d', P.n, h + 1)
        if P.stale and pc == 'put' and 'fresh' in ON:
            yield 'its LIST is too old to write entry %d: decides nothing' % P.n, setp(S, p, END)
        elif P.n <= S.cut and pc == 'put':                                # (rule 'fresh' left out)
            yield 'writes at the deleted number %d, its LIST is too old: looks again' % P.n, setp(S, p, START)
        elif P.n <= S.cut:
            yield 'reads number %d: free, asks again' % P.n, setp(S, p, P._replace(pc='put'))
        elif P.n <= h:
            yield ('finds entry %d' if pc == 'read' else 'loses number %d') % P.n, lost_number(C, S, p, P, role)
        elif pc == 'read':
            yield 'reads number %d: free, asks again' % P.n, setp(S, p, P._replace(pc='put'))
            if P.what == 0 and role.kind not in ('HOOK', 'DROP'):            # of these nobody would know any more that they must be decided
                yield 'reads number %d: free, gives up (VOID)' % P.n, setp(S, p, P._replace(pc='put', what=-1))
        else:
            if P.what > 0:
                m = S.log[P.what - 1]
                en = Entry('GIVEUP' if role.kind == 'GIVEUP' else 'RESUME', m.job, p, P.what, (), 0, 0, 0)
            elif P.what < 0:
                en = Entry('VOID', role.job, p, 0, (), 0, 0, 0)
            else:
                kind = {'HOOK': 'CLEAR', 'DROP': 'CLEAR'}.get(role.kind, role.kind)
                en = Entry(kind, role.job, p, P.n, role.files, role.R, P.old, P.fol)
            T = S._replace(log=S.log + (en,))
            name = 'writes entry %d: %s %s' % (P.n, en.kind, en.target if P.what > 0 else 'job %d' % en.job)
            if P.stale and P.what == 0:                                   # (rule 'fresh' left out)
                yield name + ', its LIST is too old: looks again', setp(T, p, START)
                return
            yield name, setp(T, p, P._replace(pc='sweep') if P.what < 0 else execute(T, P.n, P if P.what == 0 else START))
            if S.losses:
                yield 'PUT of entry %d (%s): time-out' % (P.n, en.kind), lose(S, p, P._replace(pc='read'), ('entry', P.n, en))
    elif pc == 'sweep':                                                 # after a VOID
        yield 'aborts uploads of job %d' % role.job, setp(S, p, END, pend=S.pend & ~bits(role.files))
    elif pc == 'relist':
        given = given_up(S, S.log[P.e - 1].target)
        yield 'lists the log after its entry, GIVEUP of its target: %s' % given, setp(S, p, P._replace(pc='left' if given else 'own'))
    elif pc == 'own':
        yield from step_own(C, S, p, P)
    elif pc == 'others':
        yield from step_others(C, S, p, P)
    elif pc == 'delete':
        e, t = P.e, S.log[P.e - 1].target
        D = (S.log[t - 1].old | bits(f for f in followed_files(C, S, t) if P.e == t or not any(f in en.files for en in S.log[:S.cut]))) & (~C.dirfiles[P.left] if 'leave' in ON else -1)
        for f in members(D & S.obj):
            need(not any(f in en.files for en in S.log[t - 1:]), 'S3: entry %d deletes file %d of a later entry, or its own', t, f)
            need(satisfied(C, S, t, C.dir[f]), 'S5: entry %d deletes file %d before all new files are there', t, f)
        yield 'deletes %s' % members(D & S.obj), setp(S, p, P._replace(pc='look' if C.meta else 'mark'), obj=S.obj & ~D)
    elif pc == 'look':                                                  # the metastore: look into the log, then register
        t = S.log[P.e - 1].target
        dirs = 0
        for f in S.log[t - 1].files:
            if not later_R(S, t, C.dir[f]):
                dirs |= C.dir[f]
        yield 'looks which partitions are still its own', setp(S, p, P._replace(pc='register', old=dirs))
    elif pc == 'register':
        yield 'registers %d' % P.old, setp(S, p, P._replace(pc='mark', old=0), reg=S.reg | P.old)
    elif pc in ('mark', 'left'):
        b = 1 << P.e
        sup = superseded(C, S, P) if pc == 'mark' else []
        for m in sup:
            yield 'writes ended.superseded of %d' % m, S._replace(sup=S.sup | 1 << m)
        T = S._replace(left=S.left | b) if pc == 'left' else S._replace(lost=S.lost | P.miss)
        yield 'writes ended of %d%s' % (P.e, ' (left to the operator)' * (pc == 'left')), setp(T, p, END, ended=S.ended | b)
    # -- the engine's own delete of a hook's statement: a listing, then a delete, between the first LIST of the log and the CLEAR, which is written only if needed
    elif pc == 'elist':
        yield 'engine lists', setp(S, p, P._replace(pc='edel', got=S.obj & C.dirfiles[role.R]))
    elif pc == 'edel':
        yield 'engine deletes %s, drops the partition' % members(P.got & S.obj), setp(
            S, p, P._replace(pc='post', got=0), obj=S.obj & ~P.got, reg=S.reg & ~role.R)
    elif pc == 'post':
        since = [k for k in range(P.n, h + 1) if 'again' in ON and overlaps(C, S, k, role.R)]
        fol = reduce(lambda x, k: x | follow(C, S, k), since, P.fol if 'first' in ON else 0)
        if fol:
            yield 'lists the log again: highest %d, follows %s' % (h, members(fol)), setp(S, p, P._replace(pc='exists' if role.kind == 'DROP' else 'put', n=h + 1, fol=fol,
                tail=settled_files(C, S, role.R, h + 1), noted=completed_files(S, members(fol))))
        else:
            yield 'lists the log again: highest %d, decides nothing' % h, setp(S, p, END, skips=S.skips + ((P.n - 1, role.R),))

def step_own(C, S, p, P):
    """Step 1 of executing entry e (of target t): own files."""
    e, t = P.e, S.log[P.e - 1].target
    files = S.log[t - 1].files
    if C.kinds & {'VANISH', 'GIVEUP'} and e != t and not P.i:
        yield 'leaves all of %d to the operator' % t, setp(S, p, P._replace(pc='left'))
    if P.i == len(files):
        yield from step_others(C, S, p, P._replace(pc='others', i=0))
        return
    f = files[P.i]
    b = 1 << f
    nxt = P._replace(i=P.i + 1, fol=0)
    giveup = S.log[e - 1].kind == 'GIVEUP'
    if S.log[t - 1].R and 'halt' in ON and not giveup:
        lost = 'file %d is lost: left to the operator' % f, setp(S, p, P._replace(pc='left') if e != t else END)
    else:
        lost = 'file %d is lost' % f, setp(S, p, nxt._replace(miss=P.miss | b))
    if C.dir[f] & P.left and e != t and replaced_between(S, t, e) & C.dir[f]:    # RESUME: an entry between replaces it
        yield from step_own(C, S, p, nxt)
        return
    superseded = later_R(S, t, C.dir[f])
    if S.obj & b:
        yield 'sees file %d' % f, setp(S, p, nxt)
    elif S.pend & b and giveup:
        yield 'aborts upload %d' % f, setp(S, p, P, pend=S.pend & ~b)
    elif S.pend & b:
        yield 'completes file %d' % f, setp(S, p, nxt, pend=S.pend & ~b, obj=S.obj | b, ever=S.ever | b)
    elif superseded:
        yield 'file %d is superseded' % f, setp(S, p, nxt._replace(left=P.left | superseded))
    elif t <= S.cut:
        yield 'entry is cut: stops', setp(S, p, END)
    elif C.damage and not (S.join & b and 'join' in ON):
        yield lost
    elif not S.join & b and not C.hook and 'FOREIGN' not in C.kinds:
        raise Violation('lost: file %d of entry %d is neither pending, nor joining, nor there, nor superseded' % (f, t))
    if S.losses and S.pend & b and not giveup:
        yield 'Complete of %d: time-out' % f, lose(S, p, P, ('complete', f, e))

def followed_files(C, S, t):
    """Files of the entries that t follows, below R of t."""
    r = []
    for m in members(S.log[t - 1].follows):
        for f in S.log[S.log[m - 1].target - 1].files:
            if C.dir[f] & S.log[t - 1].R and f not in r:
                r.append(f)
    return r

def step_others(C, S, p, P):
    """Step 2: files of followed entries come to an end: nothing of them may become visible afterwards."""
    e, t = P.e, S.log[P.e - 1].target
    todo = [f for f in followed_files(C, S, t) if not (C.dir[f] & P.left and 'leave' in ON)]
    if P.i == len(todo):
        yield from step(C, S, p, P._replace(pc='delete', i=0), C.roles[p])
        return
    f = todo[P.i]
    b = 1 << f
    m = next(k for k, en in enumerate(S.log, 1) if f in en.files and en.kind != 'VOID')
    nxt = P._replace(i=P.i + 1)
    if P.noted & b:
        yield 'file %d of entry %d is settled: the entry has ended' % (f, m), setp(S, p, nxt)
    elif m <= S.cut and e != t:
        yield 'entry %d of file %d is cut: nothing is known of it' % (m, f), setp(S, p, nxt)
    elif S.pend & b:
        yield 'completes file %d of entry %d' % (f, m), setp(S, p, nxt, pend=S.pend & ~b, obj=S.obj | b, ever=S.ever | b)
        if S.losses:
            yield 'Complete of %d: time-out' % f, lose(S, p, P, ('complete', f, e))
    elif not (S.join & b and 'join' in ON):
        yield 'file %d of entry %d is at its end' % (f, m), setp(S, p, nxt)
    elif (P.tail if 'own-tail' in ON else settled_files(C, S, S.log[t - 1].R, t)) & b:
        yield 'file %d of entry %d is settled: an entry between has replaced it' % (f, m), setp(S, p, nxt)

# ---- search -------------------------------------------------------------------------------------------------------------------------------
def search(C, seconds, limit=4_000_000):
    """Breadth first: the first violation is a shortest one. Returns (states, complete?, history or None, message)."""
    s0 = C.start()
    parent = {s0: None}
    for label in C.begin:
        S, s0 = s0, dict(moves(C, s0))[label]
        parent[s0] = (S, label)
    todo = deque([s0])
    until = time.time() + seconds
    n = 0

    def history(S, last):
        h = [last] if last else []
        while parent[S]:
            S, label = parent[S]
            h.append(label)
        return h[::-1]
    while todo:
        S = todo.popleft()
        n += 1
        if n % 1000 == 0 and (time.time() > until or len(parent) > limit):
            return len(parent), False, None, ''
        try:
            any_move = False
            for label, T in moves(C, S):
                any_move = True
                if T not in parent:
                    parent[T] = (S, label)
                    try:
                        check(C, T)
                    except Violation as v:
                        return len(parent), True, history(T, None), str(v)
                    todo.append(T)
            if not any_move:
                for p, P in enumerate(S.procs):
                    if P.pc not in ('end', 'list') and not (P.pc == 'own' and C.hook):
                        raise Violation('stuck: p%d waits for ever at %s' % (p, P.pc))
        except Violation as v:
            return len(parent), True, history(S, '(next move of some process)'), str(v)
    return len(parent), True, None, ''

def run_labels(C, labels):
    """Replays what can be replayed of a list of moves; (moves used, message of the violation or None)."""
    S, used = C.start(), []
    try:
        for l in labels:
            for label, T in moves(C, S):
                if label == l:
                    S = T
                    used.append(l)
                    check(C, S)
                    break
        list(moves(C, S))
    except Violation as v:
        return used, str(v)
    return used, None

def walk(C, rnd, length=400):
    S, labels, actor = C.start(), [], ''
    try:
        for _ in range(length):
            ms = list(moves(C, S))
            if not ms:
                return None
            rare = [m for m in ms if m[0].startswith(('clock', 'store')) or 'time-out' in m[0] or 'gives up' in m[0]]
            same = [m for m in ms if m not in rare and m[0].split()[0] == actor]     # processes run in bursts, and then sleep
            pool = rare if rare and rnd.random() < 0.1 else same if same and rnd.random() < 0.85 else [m for m in ms if m not in rare] or ms
            label, T = rnd.choice(pool)
            actor = label.split()[0] if label[0] == 'p' else actor
            labels.append(label)
            S = T
            check(C, S)
        return None
    except Violation:
        best, msg = run_labels(C, labels)
        i = 0
        while i < len(best):
            used, m = run_labels(C, best[:i] + best[i + 1:])
            if m:
                best, msg = used, m
            else:
                i += 1
        return best, msg

# ---- configurations -----------------------------------------------------------------------------------------------------------------------
REC, GIVEUP, VANISH = Role('REC'), Role('GIVEUP'), Role('VANISH')
JOINS = ('p0 lists the log: highest 0, follows []', 'p0 writes entry 1: ADD job 1', 'p0 Complete of 0: time-out', 'store: delayed Complete of file 0 begins to join')
CONFIGS = {
    # ADD against REPLACE, with somebody who carries on
    'add-replace':    Config('Ua Ub Ua Oa', [J(1, 'ADD', [0, 1]), J(2, 'REPLACE', [2], 'a'), REC], note='(a)(c)(h)'),
    'mixed':          Config('Ua Ub Ub Oa Ob', [J(1, 'ADD', [0, 1]), J(2, 'REPLACE', [2], 'ab'), REC], note='(a)(b)(h)'),
    'two-losses':     Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'a'), REC], losses=2, note='(a)'),
    # two or three REPLACEs
    'overlap':        Config('Ua Ub Ub Oa Ob', [J(1, 'REPLACE', [0, 1], 'ab'), J(2, 'REPLACE', [2], 'b'), REC], note='(g) S5'),
    'overlap-abc':    Config('Ub Uc Ub Oa Ob Oc', [J(1, 'REPLACE', [0], 'ab'), J(2, 'REPLACE', [1, 2], 'bc'), REC], note='(g)'),
    'three':          Config('Ua Ua Ua Oa', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'a'), J(3, 'REPLACE', [2], 'a')], note='(a)(c)'),
    'chain':          Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'a'), REC], losses=1, note='(a)(d)'),
    'chain-joins':    Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'a'), REC], begin=JOINS, note='(a)(d)'),
    'chain-left':     Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'a'), J(4, 'CLEAR', [], 'a'), REC], begin=JOINS + (
        'p1 lists the log: highest 1, follows [1]', 'p1 lists old objects []', 'p1 writes entry 2: CLEAR job 2',
        'p2 lists the log: highest 2, follows [1, 2]', 'p2 lists old objects []', 'p2 writes entry 3: CLEAR job 3'), note='(a)(d)'),
    'zombie':         Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'a'), REC], losses=0, note='(a)(d)'),
    'chain-rec2':     Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'a'), REC, REC], losses=0, note='(a)(d)'),
    # carried on twice, restarted, aborted
    'rec-rec':        Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), REC, REC], losses=0, note='(d)'),
    'rec-rec-loss':   Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), REC, REC], losses=1, note='(d)'),
    'restart':        Config('Ua Ua Oa', [J(1, 'ADD', [0, 1]), J(1, 'ADD', [0, 1]), J(2, 'CLEAR', [], 'a')], note='(e)'),
    'restart-replace': Config('Ua Ua Oa', [J(1, 'REPLACE', [0], 'a'), J(1, 'REPLACE', [0], 'a'), J(2, 'ADD', [1])], note='(e)'),
    'aborter':        Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(1, 'ABORTER', [0]), J(2, 'REPLACE', [1], 'a')], note='(e)'),
    'abort-restart':  Config('Ua', [J(1, 'ADD', [0]), J(1, 'ABORTER', [0]), J(1, 'ADD', [0])], losses=2, note='(e)'),
    # statements that the hook sees; the metastore
    'hook-rec':       Config('Ua Oa', [J(1, 'ADD', [0]), J(3, 'HOOK', [], 'a'), REC], losses=1, meta=1, note='(f)(i)'),
    # an entry that nobody finishes: a later REPLACE passes it over
    'never':          Config('Ua Ua', [J(1, 'ADD', [0, 1]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'a'), REC], losses=0, note='never quiet'),
    'never-two':      Config('Ua Ua', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'a'), J(3, 'CLEAR', [], 'a'), J(4, 'CLEAR', [], 'a')], losses=0, note='never quiet'),
    'never-inside':   Config('Ua Ub Ub', [J(1, 'ADD', [0, 1]), J(2, 'CLEAR', [], 'a'), J(3, 'REPLACE', [2], 'ab'), REC], losses=0, note='never quiet'),
    'never-loss':     Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'a'), REC], losses=2, note='never quiet'),
    # a hook that decides nothing where all is quiet
    'quiet-hook':     Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(3, 'HOOK', [], 'a'), J(2, 'ADD', [1])], losses=1, note='hook'),
    'quiet-rec':      Config('Ua Oa', [J(1, 'ADD', [0]), J(3, 'HOOK', [], 'a'), REC, REC], losses=0, note='hook'),
    'quiet-replace':  Config('Ua Ub Oa Ob', [J(1, 'REPLACE', [0, 1], 'ab'), J(3, 'HOOK', [], 'a'), REC], losses=1, note='hook'),
    'quiet-passed':   Config('Ua Ua', [J(1, 'ADD', [0, 1]), J(2, 'CLEAR', [], 'a'), J(3, 'HOOK', [], 'a'), REC], losses=0, note='hook, never quiet'),
    'quiet-left':     Config('Ua', [J(1, 'ADD', [0]), J(3, 'HOOK', [], 'a'), J(2, 'CLEAR', [], 'a')], losses=1, note='hook, superseded'),
    'drop':           Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(3, 'DROP', [], 'a'), J(NEW, 'ADD', [1])], losses=1, note='hook'),
    # what a RESUME leaves, damaged, given up
    'vanish':         Config('Ua Ua Oa', [J(1, 'ADD', [0, 1]), J(2, 'CLEAR', [], 'a'), REC, VANISH], losses=0, note='endings'),
    'vanish-replace': Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'a'), REC, VANISH], losses=1, note='endings'),
    'giveup':         Config('Ua Ua', [J(1, 'ADD', [0, 1]), J(2, 'CLEAR', [], 'a'), GIVEUP], losses=1, note='endings'),
    'giveup-rec':     Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), GIVEUP, REC], losses=0, note='endings'),
    'giveup-replace': Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'a'), GIVEUP, REC], losses=0, note='endings'),
    # the log is cut, processes sleep for weeks
    'cut-rec':        Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), REC], losses=1, cut=1, note='cut'),
    'cut-restart':    Config('Ua', [J(1, 'ADD', [0]), J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a')], losses=1, cut=1, note='cut'),
    'cut-abort':      Config('Ua', [J(1, 'ADD', [0]), J(1, 'ABORTER', [0]), J(2, 'CLEAR', [], 'a')], losses=1, cut=1, note='cut'),
    'cut-never':      Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'a'), REC], losses=0, cut=1, note='cut, never quiet'),
    # entries that are marked superseded
    'sup-replace':    Config('Ua Ub Oa', [J(1, 'REPLACE', [0], 'a'), J(2, 'REPLACE', [1], 'ab'), J(3, 'HOOK', [], 'a'), REC], losses=0, note='superseded'),
    'sup-front':      Config('Ua Ub', [J(1, 'ADD', [0]), J(2, 'REPLACE', [1], 'ab'), J(3, 'CLEAR', [], 'b'), J(4, 'HOOK', [], 'a')], losses=0, note='superseded'),
    'sup-giveup':     Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'a'), GIVEUP], losses=0, note='superseded'),
    'sup-cut':        Config('Ua', [J(1, 'ADD', [0]), J(2, 'CLEAR', [], 'a'), J(3, 'CLEAR', [], 'a')], losses=0, cut=1, note='superseded'),
    'hook':           Config('Ua Ua Oa', [J(1, 'ADD', [0]), J(3, 'HOOK', [], 'a'), J(2, 'ADD', [1])], losses=1, meta=1, note='(f)(i)'),
}
KNOWN = {   # what the protocol does not promise: these go wrong
    'hook-empty':     Config('Ua Oa', [J(1, 'ADD', [0]), J(3, 'HOOK', [], 'a')], losses=0, meta=2, note='(i) shows S9'),
    'foreign':        Config('Ua', [J(1, 'ADD', [0]), Role('FOREIGN'), REC], losses=0, note='TRUNCATE outside of the log, then a RESUME'),
}
LARGE = {   # for random histories only
    'walk-sup':       Config('Ua Ub Ua Ub Ub Oa Ob', [J(1, 'ADD', [0, 1]), J(2, 'REPLACE', [2], 'a'), J(3, 'REPLACE', [3], 'ab'), J(4, 'ADD', [4]), J(5, 'CLEAR', [], 'b'), J(6, 'HOOK', [], 'ab'), REC, REC], 2),
    'walk-sup-cut':   Config('Ua Ub Ua Ub Oa Ob', [J(1, 'REPLACE', [0, 1], 'ab'), J(2, 'REPLACE', [2], 'a'), J(3, 'REPLACE', [3], 'ab'), J(5, 'CLEAR', [], 'b'), J(6, 'CLEAR', [], 'ab'), REC, REC], 2, cut=1),
    'walk-sup-giveup': Config('Ua Ub Ua Ub Oa Ob', [J(1, 'ADD', [0, 1]), J(2, 'REPLACE', [2], 'ab'), J(3, 'REPLACE', [3], 'ab'), J(4, 'CLEAR', [], 'ab'), REC, REC, GIVEUP], 2),
    'walk-5':         Config('Ua Ub Ua Ub Ua Ub Oa Ob', [J(1, 'ADD', [0, 1]), J(2, 'REPLACE', [2, 3], 'ab'), J(3, 'REPLACE', [4], 'a'), J(4, 'REPLACE', [5], 'b'), REC, REC], 2),
    'walk-restart':   Config('Ua Ub Ua Ub Oa Ob', [J(1, 'REPLACE', [0, 1], 'ab'), J(1, 'REPLACE', [0, 1], 'ab'), J(2, 'ADD', [2, 3]), J(3, 'CLEAR', [], 'a'), REC, REC], 2),
    'walk-abort':     Config('Ua Ub Ua Ub Oa Ob', [J(1, 'REPLACE', [0, 1], 'ab'), J(1, 'ABORTER', [0, 1]), J(1, 'REPLACE', [0, 1], 'ab'), J(2, 'ADD', [2]), J(3, 'REPLACE', [3], 'b'), REC], 3),
    'walk-abc':       Config('Ub Uc Ub Ua Ua Uc Oa Ob Oc', [J(1, 'REPLACE', [0], 'ab'), J(2, 'REPLACE', [1, 2], 'bc'), J(3, 'REPLACE', [3], 'ac'), J(4, 'ADD', [4, 5]), REC, REC, REC], 2),
    'walk-damage':    Config('Ua Ub Ua Ub Oa Ob', [J(1, 'ADD', [0, 1, 2]), J(2, 'REPLACE', [3], 'ab'), J(3, 'CLEAR', [], 'a'), REC, REC, GIVEUP, VANISH], 1),
    'walk-cut':       Config('Ua Ub Ua Ub Oa', [J(1, 'ADD', [0, 1]), J(1, 'ADD', [0, 1]), J(2, 'REPLACE', [2, 3], 'ab'), J(3, 'CLEAR', [], 'a'), REC, REC], 2, cut=1),
    'walk-quiet':     Config('Ua Ua Ub Oa Ob', [J(1, 'ADD', [0]), J(3, 'HOOK', [], 'a'), J(2, 'ADD', [1]), J(4, 'REPLACE', [2], 'ab'), J(5, 'HOOK', [], 'ab'), REC], 1),
    'walk-hook':      Config('Ua Ua Ub Oa Ob', [J(1, 'ADD', [0]), J(3, 'HOOK', [], 'a'), J(2, 'ADD', [1]), J(4, 'REPLACE', [2], 'ab'), REC], 2, meta=1),
}

HINTS = {   # the configuration in which the rule's absence shows soonest
    'join': 'add-replace', 'leave': 'overlap', 'between': 'mixed', 'chain': 'zombie', 'first': 'hook', 'again': 'hook', 'look': 'restart',
    'lost': 'add-replace', 'inside': 'never-inside', 'front': 'zombie', 'keep-followed': 'cut-rec', 'exists': 'drop', 'halt': 'vanish-replace',
    'fresh': 'cut-rec', 'young': 'cut-restart', 'highest': 'chain-left', 'own-tail': 'chain-joins', 'none-later': 'quiet-left',
}

def report(name, C, seconds):
    t = time.time()
    n, complete, h, msg = search(C, seconds)
    print('%-16s %8d states %5.0f s  %s' % (name, n, time.time() - t, msg or ('complete' if complete else 'no violation so far (NOT complete)')), flush=True)
    for l in h or []:
        print('        ' + l)
    return h

def main(argv):
    args = list(argv)
    for a in [a for a in args if a[0] == '-']:
        ON.discard(a[1:])
        args.remove(a)
    cmd = args[0] if args else 'all'
    if cmd == 'all':
        return any([report(n, C, float(args[1]) if len(args) > 1 else 60) for n, C in CONFIGS.items()])
    if cmd == 'known':
        for n, C in KNOWN.items():
            report(n, C, 60)
        return 0
    if cmd == 'one':
        return report(args[1], {**CONFIGS, **LARGE, **KNOWN}[args[1]], float(args[2]) if len(args) > 2 else 60)
    if cmd == 'without':
        for rule in [a for a in args[1:] if a in RULES] or sorted(ON):
            ON.discard(rule)
            print('\nwithout "%s" (%s):' % (rule, RULES[rule]))
            report(HINTS[rule], CONFIGS[HINTS[rule]], 45)
            ON.add(rule)
        return 0
    if cmd == 'traces':
        traces = []
        for rule in sorted(RULES):
            ON.discard(rule)
            C = CONFIGS[HINTS[rule]]
            n, complete, h, msg = search(C, float(args[2]) if len(args) > 2 else 300)
            ON.add(rule)
            print('%-16s %s' % (rule, msg or 'nothing found'), flush=True)
            if h:
                traces.append({'rule': rule, 'says': RULES[rule], 'violates': msg, 'moves': h,
                               'files': [k + C.names[C.dir[f].bit_length() - 1] for f, k in enumerate(C.kind)],
                               'roles': [{'kind': r.kind, 'job': r.job, 'files': r.files, 'replaces': [C.names[d] for d in members(r.R)]} for r in C.roles]})
        with open(args[1], 'w') as out:
            json.dump({'model': hashlib.sha256(open(__file__, 'rb').read()).hexdigest(), 'traces': traces}, out, indent=1)
            out.write('\n')
        return 0
    if cmd == 'walk':
        seed = int(args[2]) if len(args) > 2 else 1
        rnd, n, until = random.Random(seed), 0, time.time() + float(args[1] if len(args) > 1 else 60)
        while time.time() < until:
            name, C = rnd.choice(sorted({**CONFIGS, **LARGE}.items()) if rnd.random() < 0.2 else sorted(LARGE.items()))
            r = walk(C, rnd)
            n += 1
            if r:
                print(name, r[1])
                for l in r[0]:
                    print('        ' + l)
                return 1
        print('%d histories (seed %d), no violation' % (n, seed))
        return 0

if __name__ == '__main__':
    sys.exit(1 if main(sys.argv[1:]) else 0)
