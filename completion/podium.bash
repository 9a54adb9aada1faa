# Completion of podium(1) in bash.

_podium() {
    local current=${COMP_WORDS[COMP_CWORD]} previous='' command=${COMP_WORDS[1]-}
    ((COMP_CWORD > 0)) && previous=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()

    # --option=word is three words to bash
    if [[ $current == '=' ]]; then
        current=''
    elif [[ $previous == '=' ]] && ((COMP_CWORD > 1)); then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi

    local commands='design privatize aggregate merge estimate params'
    if ((COMP_CWORD == 1)); then
        _podium_words "$commands help version --help --version"
        return
    fi

    local collection='--collection --range --epsilon --mechanism' table='--column --separator --header --invalid'
    local options=''
    case $command in
    design) options='--range --epsilon --mechanism --name' ;;
    privatize | aggregate) options="$collection $table" ;;
    merge) ;;
    estimate)
        options="$collection $table --by --confidence --interval --histogram --quantiles --bootstrap --dishonest"
        options+=' --format --plot'
        ;;
    params) options='--epsilon --range --approximate --table --format' ;;
    help | --help | -h)
        ((COMP_CWORD == 2)) && _podium_words "$commands"
        return
        ;;
    *) return ;;
    esac
    options+=' --output -o --help'

    case $previous in
    --mechanism) _podium_words 'podium podium-approximate laplace staircase' ;;
    --format) _podium_words 'text json csv' ;;
    --interval) _podium_words 'normal guaranteed' ;;
    --header) _podium_words 'yes no auto' ;;
    --invalid)
        if [[ $command == privatize ]]; then
            _podium_words 'error drop clamp'
        else
            _podium_words 'error drop'
        fi
        ;;
    --separator) _podium_words 'tab' ;;
    --collection | --plot | --output | -o) _podium_files ;;
    --range | --epsilon | --name | --column | --by | --confidence | --histogram | --quantiles | --bootstrap | --dishonest) ;;
    *)
        if [[ $current == -* ]]; then
            _podium_words "$options"
        elif [[ $command != design && $command != params ]]; then
            _podium_files
        fi
        ;;
    esac
}

# Both read the caller's current.
_podium_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}

_podium_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
}

complete -F _podium podium
