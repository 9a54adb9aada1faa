# Completion of podium(1) in bash. The program itself says what may follow, from the same tables that it reads its
# options by, so that this script need not change with them.

_podium() {
    local words=("${COMP_WORDS[@]:1:COMP_CWORD}") current=${COMP_WORDS[COMP_CWORD]}
    local program=${COMP_WORDS[0]/#\~\//"$HOME/"} candidates
    COMPREPLY=()

    # --option=word is three words to bash: the = goes, or becomes the empty word that is being completed
    if [[ $current == '=' ]]; then
        current=''
        words[COMP_CWORD - 1]=''
    elif ((COMP_CWORD > 2)) && [[ ${words[COMP_CWORD - 2]} == '=' ]]; then
        unset "words[COMP_CWORD - 2]"
    fi

    candidates=$("$program" help --complete "${words[@]}" 2>/dev/null) || return 0
    if [[ $candidates == '<files>' ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$current")
    fi
}

complete -F _podium podium
